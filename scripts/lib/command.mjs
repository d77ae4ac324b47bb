// What the project's command-line programs share.
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { root } from './files.mjs';

/** Prints one line to standard error and exits with code 1. */
export function exitWithError(message) {
  console.error(message);
  process.exit(1);
}

/** The options on the command line. Answers --help, and refuses a Node that the tools do not run on. */
export function readOptions(help, options) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const isSupported = major > 22 || (major === 22 && minor >= 13) || (major === 20 && minor >= 19);
  if (!isSupported) {
    exitWithError(
      `Node ${process.versions.node} is too old: use 20.19 or newer, or 22.13 or newer`,
    );
  }
  let values;
  try {
    ({ values } = parseArgs({ options: { ...options, help: { type: 'boolean', short: 'h' } } }));
  } catch (error) {
    exitWithError(`${error.message.split('\n')[0]} (--help lists the options)`);
  }
  if (values.help) {
    process.stdout.write(help);
    process.exit(0);
  }
  return values;
}

/** The names in a repeatable option whose values may be comma-separated lists. */
export const names = (values) =>
  (values ?? []).flatMap((value) => value.split(',')).filter(Boolean);

/**
 * Runs a program in the project's root with this terminal. Resolves to its exit code; a signal that
 * ends this process ends the program, too.
 *
 * @param {Record<string, string>} [env] beside this process's environment
 */
export function run(command, args, env = {}) {
  const child = spawn(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  const end = (signal) => child.kill(signal);
  // The terminal itself sends Ctrl-C to the program.
  const wait = () => undefined;
  process.on('SIGTERM', end).on('SIGINT', wait);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      process.off('SIGTERM', end).off('SIGINT', wait);
      resolve(code ?? 1);
    });
  });
}
