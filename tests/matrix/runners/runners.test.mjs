// The installed tarball in test runners, in every environment that they have. Needs build/matrix/runners, see
// scripts/lib/matrix.mjs.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { fromRoot } from '../../../scripts/lib/files.mjs';
import { matrixFolder } from '../../../scripts/lib/matrix.mjs';
import { installedNode, runProgram } from '../lib/programs.mjs';
import { showsLine, snippet } from '../lib/snippets.mjs';
import { trialsOf } from '../lib/trials.mjs';
import { judge, oracleCases, readmeExample } from '../shared/judge.mjs';

const group = 'runners';
const document = 'docs/runtimes.md';
const built = (...parts) => fromRoot(matrixFolder(group), ...parts);
const example = readmeExample();
const oracles = oracleCases();

/** The environment, in which the document's own configuration may differ. */
const inEnvironment = (name, environment) => {
  const text = snippet(document, name);
  const changed = text.replace(/(nvironment"?: ['"])[\w-]+/, `$1${environment}`);
  assert.match(changed, new RegExp(`nvironment"?: ['"]${environment}`));
  return changed;
};

const options = '--experimental-vm-modules';
assert.ok(showsLine(document, `NODE_OPTIONS=${options} npx jest`));

/** Their own limits are of seconds. */
const patient = (...limits) => limits.map((name) => `--${name}=300000`);

const vitest = (environment, ...flags) => ({
  configuration: { 'vitest.config.js': inEnvironment('vitest.config.js', environment) },
  test: "export { test } from 'vitest';\n",
  args: [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--root',
    '.',
    ...patient('testTimeout', 'teardownTimeout'),
    ...flags,
  ],
});
const jest = (environment, more = {}) => ({
  configuration: {
    'jest.config.json': JSON.stringify({
      ...JSON.parse(inEnvironment('jest.config.json', environment)),
      ...more,
      testMatch: ['**/programs/*.test.js'],
    }),
    'jest.setup.js': snippet(document, 'jest.setup.js'),
  },
  test: 'export const { test } = globalThis;\n',
  args: ['node_modules/jest/bin/jest.js', ...patient('testTimeout', 'openHandlesTimeout')],
  env: { NODE_OPTIONS: options },
});

const runners = {
  'Vitest, node': vitest('node'),
  'Vitest, jsdom': { ...vitest('jsdom'), hasDocument: true },
  'Vitest, jsdom in node:vm': { ...vitest('jsdom', '--pool', 'vmThreads'), hasDocument: true },
  'Vitest, happy-dom': { ...vitest('happy-dom'), hasDocument: true },
  'Jest, node': jest('node'),
  'Jest, jsdom': { ...jest('jsdom', { setupFiles: ['./jest.setup.js'] }), hasDocument: true },
};
assert.match(readFileSync(fromRoot(document), 'utf8'), /"setupFiles": \["\.\/jest\.setup\.js"\]/);

/** What both need is newer than the Node of this process may be. */
const node = installedNode(group, '24');

before(() => {
  rmSync(built('programs'), { recursive: true, force: true });
  cpSync(fromRoot('tests/matrix/runners/programs'), built('programs'), { recursive: true });
  for (const name of ['suite.js', 'realms.js']) {
    cpSync(fromRoot('tests/matrix/shared', name), built('programs', name));
  }
  const texts = {
    'cases.json': JSON.stringify(oracles),
    'file.safetensors': Buffer.from(oracles[0].bytes, 'base64'),
    'readme.test.js': `import { test } from './test-function.js';
test('the README', async () => {
  const printed = [];
  const { log } = console;
  console.log = (value) => printed.push(JSON.stringify(value));
  await import('./readme.js');
  console.log = log;
  if (printed.join(' ') !== ${JSON.stringify(example.printed.join(' '))}) throw new Error(printed.join(' '));
});
`,
    'readme.js': example.text,
    'tsconfig.json': '{}',
  };
  for (const [name, text] of Object.entries(texts)) writeFileSync(built('programs', name), text);
});

test('their Node is there on Linux on x64', (t) => {
  if (`${process.platform}-${process.arch}` !== 'linux-x64') return t.skip('another machine');
  assert.notEqual(node, undefined);
});

for (const [name, { configuration, test: testFunction, args, env, hasDocument }] of Object.entries(
  runners,
)) {
  const trial = trialsOf(group, name);
  if (node === undefined) {
    trial.without('loads', 'no Node 24 for this machine');
    continue;
  }
  const results = built(`${name.replaceAll(/\W+/g, '-')}.json`);

  const run = async () => {
    rmSync(results, { force: true });
    for (const [file, text] of Object.entries(configuration)) writeFileSync(built(file), text);
    writeFileSync(built('programs/test-function.js'), testFunction);
    const given = { ...env, HEADWISE_RESULTS: results, CI: '1' };
    const { status, stdout, stderr } = await runProgram(group, node, args, { env: given });
    return { status, printed: `${stdout}\n${stderr}` };
  };
  let ran;
  const once = async () => {
    const { status, printed } = await (ran ??= run());
    assert.equal(status, 0, printed);
    return JSON.parse(readFileSync(results, 'utf8'));
  };

  trial('ends', 'ends by itself, all tests passed', async () => {
    await once();
    const { printed } = await ran;
    assert.match(printed, /Tests:?\s+2 passed/);
    assert.doesNotMatch(printed, /did not exit|hanging|open handle/i);
  });
  trial('example', "README's example", once);
  trial('loads', 'imports the package, with a document where there is to be one', async () => {
    const found = await once();
    judge.loads(found, { variant: 'relaxed-simd', threads: 2 });
    assert.equal(found.hasDocument, hasDocument ?? false);
  });
  trial('oracle', 'oracle cases', async () => judge.oracle(await once()));
  trial('models', 'models', async () => judge.models(await once()));
  trial('threads', 'two threads', async () => judge.threads(await once(), 2));
  trial('errors', 'errors of bad calls', async () => judge.errors(await once()));
  trial('oracle', 'values of other realms are taken', async () => {
    const { realms, read } = await once();
    assert.ok(Object.keys(realms).length > 10);
    assert.deepEqual(
      Object.entries(realms).filter(([, outcome]) => outcome !== 'same'),
      [],
    );
    assert.ok(read.includes('out.output'), read.join());
  });
}
