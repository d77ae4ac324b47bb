// Programs that tests start, and servers among them. All end with this process.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { until } from './until.mjs';

const running = new Set();
const kill = ({ pid }, signal) => {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
};
process.once('exit', () => running.forEach((child) => kill(child, 'SIGTERM')));

/** Starts a command in a group of its own, since programs start others. */
export function start(command, args, options) {
  const child = spawn(command, args, {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  running.add(child);
  const printed = { stdout: '', stderr: '' };
  for (const name of Object.keys(printed)) {
    child[name].setEncoding('utf8').on('data', (text) => (printed[name] += text));
  }
  const ended = new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      running.delete(child);
      resolve(code ?? signal);
    });
  });
  return { child, printed, ended };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts a server by a line of the shell, in which PORT stands for a free one, and waits until `path` answers. */
export async function startServer(line, options, { path = '', signal = 'SIGKILL' } = {}) {
  const port = await freePort();
  const command = `exec ${line.replace('PORT', port)}`;
  const { child, printed, ended } = start('sh', ['-c', command], options);
  const told = () => `${command}\n${printed.stdout}\n${printed.stderr}`;
  const url = `http://localhost:${port}/`;
  await until(
    async () => {
      assert.ok(running.has(child), told());
      return fetch(url + path).then(
        ({ ok }) => ok,
        () => false,
      );
    },
    () => `no answer: ${told()}`,
  );
  const close = async () => {
    kill(child, signal);
    await ended;
  };
  return { url, told, close };
}
