// The package in test runners, in every environment that they have, as docs/guides/test-runners.md says.
import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { blocks, readmeExample } from '../packaging/lib/documents.mjs';
import { fromRoot } from '../packaging/lib/project.mjs';
import { judge, readmePrints } from './lib/judge.mjs';
import { installedNode, run, tools, writeFolder } from './lib/processes.mjs';

const document = 'docs/guides/test-runners.md';
const vitestConfiguration = blocks(document, 'Vitest', 'sh', 'js', 'sh', 'js').at(-1);
const inJest = blocks(document, 'Jest', 'sh', 'js', 'json', 'sh', 'js');
const [jestConfiguration, jestLine, jestSetup] = inJest.slice(2);
assert.equal(jestLine, 'NODE_OPTIONS=--experimental-vm-modules npx jest\n');
assert.match(readFileSync(fromRoot(document), 'utf8'), /"setupFiles": \["\.\/jest\.setup\.js"\]/);

function inEnvironment(text, environment) {
  const changed = text.replace(/(nvironment"?: ['"])[\w-]+/, `$1${environment}`);
  assert.match(changed, new RegExp(`nvironment"?: ['"]${environment}`));
  return changed;
}

/** Their own limits are of seconds. */
const patient = (...limits) => limits.map((name) => `--${name}=300000`);

const vitest = (environment, ...flags) => ({
  files: {
    'vitest.config.js': inEnvironment(vitestConfiguration, environment),
    'test-function.js': "export { test } from 'vitest';\n",
  },
  program: 'vitest/vitest.mjs',
  args: ['run', '--root', '.', ...patient('testTimeout', 'teardownTimeout'), ...flags],
});
const jest = (environment, more = {}) => ({
  files: {
    'jest.config.json': JSON.stringify({
      ...JSON.parse(inEnvironment(jestConfiguration, environment)),
      ...more,
    }),
    'jest.setup.js': jestSetup,
    'test-function.js': 'export const { test } = globalThis;\n',
  },
  program: 'jest/bin/jest.js',
  args: patient('testTimeout', 'openHandlesTimeout'),
  env: { NODE_OPTIONS: '--experimental-vm-modules' },
});

const runners = {
  'Vitest, node': vitest('node'),
  'Vitest, jsdom': vitest('jsdom'),
  'Vitest, jsdom in node-vm': vitest('jsdom', '--pool', 'vmThreads'),
  'Vitest, happy-dom': vitest('happy-dom'),
  'Jest, node': jest('node'),
  'Jest, jsdom': jest('jsdom', { setupFiles: ['./jest.setup.js'] }),
};

const programs = {
  'package.json': '{ "type": "module" }',
  'tsconfig.json': '{}',
  'readme.js': readmeExample(),
  'readme.test.js': `import { test } from './test-function.js';
test('the README', async () => {
  const printed = [];
  const { log } = console;
  console.log = (value) => printed.push(JSON.stringify(value));
  await import('./readme.js');
  console.log = log;
  if (printed.join(' ') !== '${readmePrints.join(' ')}') throw new Error(printed.join(' '));
});
`,
  // Leaves its results to the test that started it.
  'all.test.js': `import { readFileSync, writeFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import * as headwise from 'headwise/models';
import { acrossRealms, classesOfRealm } from './realms.js';
import { suite } from './suite.js';
import { test } from './test-function.js';
test('the suite', async () => {
  const results = await suite(headwise, { threads: 2 });
  await headwise.init();
  const wrongRealms = await acrossRealms(headwise, runInNewContext(classesOfRealm));
  const hasDocument = typeof document === 'object';
  writeFileSync('results.json', JSON.stringify({ results, wrongRealms, hasDocument }));
});
`,
};

// They need a newer Node than this one may be.
const node = installedNode('24');
for (const [name, { files, program, args, env }] of Object.entries(runners)) {
  test(name, { skip: node === undefined && 'no Node 24 for this machine' }, async () => {
    const cwd = writeFolder(`runners/${name.replaceAll(/\W+/g, '-')}`, { ...programs, ...files });
    for (const file of ['suite.js', 'realms.js']) {
      cpSync(fromRoot('tests/matrix/lib', file), `${cwd}/${file}`);
    }
    const given = { cwd, env: { ...env, CI: '1' } };
    const path = tools('node_modules', program);
    const { status, stdout, stderr } = await run(node, [path, ...args], given);
    const printed = `${stdout}\n${stderr}`;
    assert.equal(status, 0, printed);
    assert.match(printed, /Tests:?\s+2 passed/);
    assert.doesNotMatch(printed, /did not exit|hanging|open handle/i);

    const found = JSON.parse(readFileSync(`${cwd}/results.json`, 'utf8'));
    judge(found.results, { variant: 'relaxed-simd', threads: 2 });
    assert.equal(found.hasDocument, name.includes('dom'));
    assert.deepEqual(found.wrongRealms, {});
  });
}
