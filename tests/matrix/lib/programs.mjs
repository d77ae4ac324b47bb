// Programs in a group's folder, each run to its end by a runtime.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { arch, platform } from 'node:process';
import { fromRoot } from '../../../scripts/lib/files.mjs';
import { matrixFolder } from '../../../scripts/lib/matrix.mjs';
import { signalGroup } from '../../../scripts/lib/process.mjs';

/** How long a program may take: what ends does so within seconds, however busy the machine is. */
const patience = 300_000;

/** The Node of this major version that a group has installed; undefined where there is none for this machine. */
export function installedNode(group, version) {
  const name = `node-${version}-${platform}-${arch}`;
  const path = fromRoot(matrixFolder(group), 'node_modules', name, 'bin/node');
  return existsSync(path) ? path : undefined;
}

/** Runs a program to its end: its exit status (a signal's name, if it was ended) and what it printed. */
export function runProgram(group, command, args, { env } = {}) {
  const child = spawn(command, args, {
    cwd: fromRoot(matrixFolder(group)),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: tools have processes of theirs.
    detached: true,
    timeout: patience,
    killSignal: 'SIGKILL',
  });
  const printed = { stdout: '', stderr: '' };
  for (const name of Object.keys(printed)) {
    child[name].setEncoding('utf8').on('data', (text) => (printed[name] += text));
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    // What it has left running may hold its output for ever.
    child.on('exit', () => {
      const timer = setTimeout(() => {
        signalGroup(child, 'SIGKILL');
        child.stdout.destroy();
        child.stderr.destroy();
      }, 10_000);
      child.on('close', () => clearTimeout(timer));
    });
    child.on('close', (status, signal) => resolve({ status: status ?? signal, ...printed }));
  });
}

/** The same of a program that is to end well and to complain of nothing; what it printed. */
export async function outputOf(...program) {
  const { status, stdout, stderr } = await runProgram(...program);
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' }, stdout);
  return stdout;
}
