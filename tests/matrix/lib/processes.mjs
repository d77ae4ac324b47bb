// Programs and servers of the installed tools, run in build/matrix.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { start, startServer as startLine } from '../../browser/lib/processes.mjs';
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

const environment = (env) => ({
  ...process.env,
  PATH: [tools('node_modules/.bin'), process.env.PATH].join(delimiter),
  NODE_ENV: undefined,
  FORCE_COLOR: undefined,
  NO_COLOR: '1',
  NEXT_TELEMETRY_DISABLED: '1',
  ...env,
});

/** Runs a program to its end. Returns its exit status and what it printed. */
export async function run(command, args, { cwd = tools(), env } = {}) {
  const { printed, ended } = start(command, args, { cwd, env: environment(env) });
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

/** Starts a tool's server in a folder: see browser/lib/processes.mjs. */
export const startServer = (line, cwd) => startLine(line, { cwd, env: environment() });
