// The applications: laid out in build/matrix/bundlers, built by their own scripts, served by their tools.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, dirname } from 'node:path';
import { fromRoot } from '../../../../scripts/lib/files.mjs';
import { endWithSignals, run, signalGroup } from '../../../../scripts/lib/process.mjs';
import { matrixFolder } from '../../../../scripts/lib/matrix.mjs';
import { until } from '../../../browser/lib/until.mjs';
import { readmeExample } from '../../shared/judge.mjs';

const source = (...parts) => fromRoot('tests/matrix/bundlers', ...parts);

/** A path where the tools are installed. */
export const installed = (...parts) => fromRoot(matrixFolder('bundlers'), ...parts);

/** The README's example as a function, since not every format has `await` at the top of a module. */
function exampleModule() {
  const [imports, ...rest] = readmeExample().text.split('\n\n');
  return `${imports}\n\nexport async function example() {\n${rest.join('\n\n')}}\n`;
}

/**
 * Lays an application out as the package's user has it, `shared` and an installed headwise in it; the tools are found
 * further up, where nothing else of this repository is.
 *
 * @param {string} name the folder's
 * @param {string[]} folders of tests/matrix/bundlers, a later one over those before
 * @returns {string} the application's folder
 */
export function layOut(name, folders) {
  const place = installed('work', name);
  rmSync(place, { recursive: true, force: true });
  for (const folder of folders) cpSync(source(folder), place, { recursive: true });
  cpSync(source('shared'), `${place}/shared`, { recursive: true });
  cpSync(source('../shared/suite.js'), `${place}/shared/suite.js`);
  writeFileSync(`${place}/shared/example.js`, exampleModule());
  const dependency = 'node_modules/headwise';
  cpSync(installed(dependency), `${place}/${dependency}`, { recursive: true });
  // The repository's own, further up, says where headwise's sources are.
  writeFileSync(installed('tsconfig.json'), '{}\n');
  return place;
}

const environment = (node) => ({
  ...process.env,
  PATH: [dirname(node), installed('node_modules/.bin'), process.env.PATH].join(delimiter),
  NEXT_TELEMETRY_DISABLED: '1',
  NODE_ENV: undefined,
  FORCE_COLOR: undefined,
});

/** Runs a line of the shell in a folder as `npm run` would, and fails with what it printed. Gives that, too. */
export async function shell(line, folder, node = process.execPath) {
  let printed = '';
  await run('sh', ['-c', line], {
    cwd: folder,
    env: environment(node),
    write: (text) => (printed += text),
    limit: 10,
  }).catch(({ message }) => assert.fail(`${message}\n${printed}`));
  return printed;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

// Whoever stops the tests stops the servers, too, which have groups of their own.
endWithSignals();

/**
 * Starts a tool's server and waits until it answers.
 *
 * @param {(port: number) => string} line of the shell, for a port
 */
export async function startServer(line, folder, node = process.execPath) {
  const port = await freePort();
  const child = spawn('sh', ['-c', `exec ${line(port)}`], {
    cwd: folder,
    env: environment(node),
    // A group of its own: tools have processes of theirs.
    detached: true,
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => (printed += text));
  }
  let gone;
  const ended = new Promise((resolve) => {
    child.once('exit', (code) => resolve((gone = `exit code ${code}`)));
  });
  const end = () => gone ?? signalGroup(child);
  process.once('exit', end);
  const url = `http://localhost:${port}/`;
  await until(
    async () => {
      assert.ok(!gone, `${line(port)}: ${gone}\n${printed}`);
      return fetch(url).then(
        ({ ok }) => ok,
        () => false,
      );
    },
    () => `no answer at ${url}\n${printed}`,
  );
  return {
    url,
    printed: () => printed,
    async close() {
      process.removeListener('exit', end);
      end();
      // Some wait for connections that browsers keep.
      const kill = setTimeout(() => signalGroup(child, 'SIGKILL'), 10_000);
      await ended;
      clearTimeout(kill);
    },
  };
}

/** Copies a page that a tool leaves where it is to what the tool made. */
export function copyPage(folder) {
  if (existsSync(`${folder}/public`)) {
    cpSync(`${folder}/public`, `${folder}/dist`, { recursive: true });
  }
}
