// Installs packages of this machine's own distribution, from its own sources.
import { spawnSync } from 'node:child_process';
import { run } from './commands.mjs';
import { SetupError } from './errors.mjs';
import { findProgram } from './locate.mjs';

/** @typedef {import('./commands.mjs').Context} Context */

/**
 * What stands before a command that must run as root: nothing, or sudo. Asks for the password now,
 * while nobody else writes to the terminal.
 * @param {string[]} packages
 * @param {NodeJS.ProcessEnv} env
 * @returns {string[]}
 */
export function rootPrefix(packages, env = process.env, uid = process.getuid?.()) {
  if (uid === 0) return [];
  const sudo = findProgram(['sudo'], env);
  const works = (/** @type {string[]} */ args, /** @type {any} */ stdio) =>
    sudo !== null && spawnSync(sudo, args, { stdio, env }).status === 0;
  // sudo stays in the terminal's session and what it runs does not: Ctrl-C would reach dpkg.
  const away = ['setsid', '--wait'];
  if (works(['-n', 'true'], 'ignore')) return ['sudo', '-n', ...away];
  if (process.stdin.isTTY && works(['-v'], 'inherit')) return ['sudo', ...away];
  throw new SetupError(
    'no rights to install what is missing (neither root nor sudo); as root, run: ' +
      `apt-get update && apt-get install --no-install-recommends ${packages.join(' ')}`,
  );
}

/**
 * @param {Context} context
 * @param {string[]} packages
 * @param {string[]} prefix from rootPrefix
 */
export async function installPackages(context, packages, prefix) {
  const sayWhy = () =>
    context.progress.line(
      '  waiting for apt-get, which must not be cut off (Ctrl-C leaves it to itself)',
    );
  context.signal.addEventListener('abort', sayWhy);
  await context.progress
    .during('system packages', async (note) => {
      // Environment variables do not get past sudo.
      const asRoot = (/** @type {string[]} */ ...command) => {
        const [program, ...args] = [
          ...prefix,
          ...['env', 'DEBIAN_FRONTEND=noninteractive', 'LC_ALL=C.UTF-8'],
          ...command,
        ];
        return run(context, program, args, {
          onLine: note,
          name: command[0],
          delicate: true,
          ownGroup: prefix.length === 0,
        });
      };
      const options = ['-o', 'DPkg::Lock::Timeout=300', '-o', 'Acquire::Retries=3'];
      const install = [...options, 'install', '-y', '--no-install-recommends', ...packages];
      // A source that fails need not be one of those that have these packages.
      await asRoot('apt-get', ...options, 'update').catch((error) => {
        if (context.signal.aborted) throw error;
        context.log(`${error.message}\n`);
      });
      try {
        await asRoot('apt-get', ...install);
      } catch (error) {
        if (!/dpkg was interrupted/.test(error.message)) throw error;
        await asRoot('dpkg', '--configure', '-a');
        await asRoot('apt-get', ...install);
      }
    }, `: ${packages.join(' ')}`)
    .finally(() => context.signal.removeEventListener('abort', sayWhy));
}
