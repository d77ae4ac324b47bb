// Runs other programs: their output goes to the log, an abort ends them and all they started, and
// a failure becomes one line.
import { spawn } from 'node:child_process';
import { Interrupted, SetupError, explainFailure } from './errors.mjs';

/**
 * What all parts of a set-up share.
 * @typedef {object} Context
 * @property {string} folder the toolchain folder
 * @property {AbortSignal} signal
 * @property {(text: string) => void} log
 * @property {ReturnType<typeof import('./progress.mjs').createProgress>} progress
 * @property {NodeJS.ProcessEnv} env
 */

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd]
 * @property {(line: string) => void} [onLine] told every line that the program prints
 * @property {string} [name] what messages call the program, when another one starts it
 * @property {boolean} [delicate] must not be torn off: it alone hears of an abort, not what it
 *   started, and may take its time
 * @property {boolean} [ownGroup] false for what must stay in the terminal's session, as sudo, which
 *   remembers a password for one terminal only
 */

/**
 * @param {Context} context
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<string>} its standard output
 */
export async function run(context, command, args, options = {}) {
  const { cwd, onLine, name = command, delicate = false, ownGroup = true } = options;
  context.signal.throwIfAborted();
  context.log(`$ ${command} ${args.join(' ')}\n`);
  const child = spawn(command, args, {
    cwd,
    // Failures are recognised by their English texts.
    env: { ...context.env, LC_ALL: 'C.UTF-8', LANGUAGE: 'C' },
    detached: ownGroup,
    stdio: ['ignore', 'pipe', 'pipe'],
  });

  let stdout = '';
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      if (stream === child.stdout) stdout += text;
      output += text;
      context.log(text);
      const lines = text.trimEnd().split(/[\r\n]/);
      if (lines.at(-1)) onLine?.(lines.at(-1));
    });
  }

  const end = () => {
    try {
      const alone = delicate || !ownGroup;
      process.kill(alone ? child.pid : -child.pid, delicate ? 'SIGINT' : 'SIGTERM');
    } catch {
      // It has ended already, or is sudo, which nobody but root may signal.
    }
  };
  context.signal.addEventListener('abort', end);
  /** @type {string | null} why it failed */
  const reason = await new Promise((resolve) => {
    child.on('error', (error) => resolve(error.code === 'ENOENT' ? 'not found' : error.message));
    child.on('close', (code, signal) =>
      resolve(code === 0 ? null : (signal ?? `exit code ${code}`)),
    );
  });
  context.signal.removeEventListener('abort', end);

  if (context.signal.aborted) throw new Interrupted();
  if (reason === 'not found') throw new SetupError(`${name} is not installed`);
  if (reason) throw new SetupError(explainFailure(name, reason, output));
  return stdout;
}
