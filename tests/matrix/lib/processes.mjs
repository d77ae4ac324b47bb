// Programs and servers of the installed tools, run in build/matrix.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, dirname } from 'node:path';
import { until } from '../../browser/lib/until.mjs';
import { fromRoot } from '../../packaging/lib/project.mjs';

/** A path where the tools are installed. */
export const tools = (...parts) => fromRoot('build/matrix', ...parts);

/** The installed Node of a version, or undefined if there is none for this machine. */
export function installedNode(version) {
  const name = `node-${version}-${process.platform}-${process.arch}`;
  const path = tools('node_modules', name, 'bin/node');
  return existsSync(path) ? path : undefined;
}

/** Fills an empty folder of build/matrix with files, by name. Returns its path. */
export function writeFolder(name, files) {
  const folder = tools(name);
  rmSync(folder, { recursive: true, force: true });
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(`${folder}/${file}`), { recursive: true });
    writeFileSync(`${folder}/${file}`, text);
  }
  return folder;
}

const running = new Set();
const killGroup = ({ pid }) => {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
};
process.once('exit', () => running.forEach(killGroup));

/** Starts a command in a group of its own, since tools start processes of theirs. */
function start(command, args, { cwd, env }) {
  const child = spawn(command, args, {
    cwd,
    env: {
      ...process.env,
      PATH: [tools('node_modules/.bin'), process.env.PATH].join(delimiter),
      NODE_ENV: undefined,
      FORCE_COLOR: undefined,
      NO_COLOR: '1',
      NEXT_TELEMETRY_DISABLED: '1',
      ...env,
    },
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

/** Runs a program to its end. Returns its exit status and what it printed. */
export async function run(command, args, { cwd = tools(), env } = {}) {
  const { printed, ended } = start(command, args, { cwd, env });
  return { status: await ended, ...printed };
}

/** What a program prints that ends well and without a warning. */
export async function outputOf(...program) {
  const { status, stdout, stderr } = await run(...program);
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' }, stdout);
  return stdout;
}

/** Runs a line of the shell in a folder, and fails with what it printed. */
export async function shell(line, cwd) {
  const { status, stdout, stderr } = await run('sh', ['-ec', line], { cwd });
  assert.equal(status, 0, `${line}\n${stdout}\n${stderr}`);
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts a tool's server by a line of the shell, in which PORT stands for a free one, and waits until it answers. */
export async function startServer(line, cwd) {
  const port = await freePort();
  const command = `exec ${line.replace('PORT', port)}`;
  const { child, printed, ended } = start('sh', ['-c', command], { cwd });
  const told = () => `${command}\n${printed.stdout}\n${printed.stderr}`;
  const url = `http://localhost:${port}/`;
  await until(
    async () => {
      assert.ok(running.has(child), told());
      return fetch(url).then(
        ({ ok }) => ok,
        () => false,
      );
    },
    () => `no answer: ${told()}`,
  );
  const close = async () => {
    killGroup(child);
    await ended;
  };
  return { url, told, close };
}
