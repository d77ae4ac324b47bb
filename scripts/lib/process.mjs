// Runs commands as child processes and ends them when this process is ended.
import { spawn } from 'node:child_process';
import { root } from './files.mjs';

const children = new Set();
let interrupted = false;

export class CommandFailed extends Error {
  constructor(command, args, reason) {
    super(`${[command, ...args].join(' ').slice(0, 200)}: ${reason}`);
    this.name = 'CommandFailed';
  }
}

/** Twice what the longest command took on a machine busy with other work: what has not ended by then hangs. */
const limitMinutes = 45;

/** Sends a signal to a child that leads a group, and to all in it; to nobody if they have ended. */
export function signalGroup({ pid }, signal = 'SIGTERM') {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/**
 * Runs a command to its end and rejects with `CommandFailed` unless it exits with 0. Its output
 * goes to `write` as it comes; where there is no `write`, it has the terminal, and no limit. One that
 * is not done after `limit` minutes fails, and is killed with all in its group.
 */
export function run(
  command,
  args,
  { cwd = root, env = {}, write, limit = write ? limitMinutes : Infinity } = {},
) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: write ? ['ignore', 'pipe', 'pipe'] : 'inherit',
      // A group of its own: CMake, for one, passes no signal on to what it runs. One that has the
      // terminal stays with it, so that it may ask for a password.
      detached: Boolean(write),
    });
    const end = () => (write ? signalGroup(child) : child.kill());
    const timer =
      limit < Infinity &&
      setTimeout(() => {
        reject(new CommandFailed(command, args, `not done after ${limit} minutes`));
        signalGroup(child, 'SIGKILL');
        // What has left its group may hold them for ever.
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, limit * 60_000);
    const entry = { child, end };
    children.add(entry);
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', write);
    child.on('error', (error) => {
      clearTimeout(timer);
      children.delete(entry);
      const reason = error.code === 'ENOENT' ? 'not found' : error.message;
      reject(new CommandFailed(command, args, reason));
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      children.delete(entry);
      if (interrupted) return;
      if (code === 0) resolve();
      else reject(new CommandFailed(command, args, signal ?? `exit code ${code}`));
    });
  });
}

/** Ends all children and waits until they are gone. */
export async function endChildren() {
  await Promise.all(
    [...children].map(({ child, end }) => {
      const gone = new Promise((resolve) => child.once('close', resolve));
      end();
      return gone;
    }),
  );
}

/**
 * From here on Ctrl-C and a polite kill end the children, and run `cleanUp`, before this process
 * ends. `cleanUp` may give the exit code.
 */
export function endWithSignals(cleanUp = () => undefined) {
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
    ['SIGHUP', 1],
  ]) {
    process.once(signal, async () => {
      interrupted = true;
      const [exitCode] = await Promise.all([cleanUp(), endChildren()]);
      process.exit(exitCode ?? 128 + number);
    });
  }
}
