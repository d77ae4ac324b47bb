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
  const { progress, signal } = context;
  const sayWhy = () =>
    progress.line('  waiting for apt-get, which must not be cut off (Ctrl-C leaves it to itself)');
  signal.addEventListener('abort', sayWhy);
  try {
    const work = (/** @type {(text: string) => void} */ note) =>
      updateAndInstall(context, packages, prefix, note);
    await progress.during('system packages', work, `: ${packages.join(' ')}`);
  } finally {
    signal.removeEventListener('abort', sayWhy);
  }
}

/**
 * @param {Context} context
 * @param {string[]} packages
 * @param {string[]} prefix
 * @param {(text: string) => void} onLine
 */
async function updateAndInstall(context, packages, prefix, onLine) {
  // Environment variables do not get past sudo.
  const withEnv = ['env', 'DEBIAN_FRONTEND=noninteractive', 'LC_ALL=C.UTF-8'];
  const asRoot = (/** @type {string} */ name, /** @type {string[]} */ ...args) => {
    const [program, ...rest] = [...prefix, ...withEnv, name, ...args];
    const ownGroup = prefix.length === 0;
    return run(context, program, rest, { onLine, name, delicate: true, ownGroup });
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
}
