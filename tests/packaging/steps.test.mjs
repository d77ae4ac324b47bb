import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
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

test('tests/node runs in both Nodes with both builds, after what it needs', () => {
  const names = nodeSteps.map(({ name }) => name);
  assert.deepEqual(names, ['node', 'node-relaxed', 'node-current', 'node-current-simd']);
  for (const name of names) {
    const needed = withNeeds(testSteps, [name]).map((step) => step.name);
    for (const need of ['setup', 'pack', 'native']) assert.ok(needed.includes(need), need);
  }
});

test('each step of tests/node loads the build that it is for', async () => {
  const found = {};
  for (const { name, skip, run } of nodeSteps) {
    if (skip) continue;
    await run((node, _args, { env }) => {
      const probe =
        "import { init } from 'headwise'; const { variant } = await init();" +
        'console.log(variant, process.versions.node.split(".")[0] !== process.env.MAJOR);';
      const { stdout, stderr } = spawnSync(node, ['--input-type=module', '--eval', probe], {
        cwd: fromRoot('build/packed/project'),
        encoding: 'utf8',
        env: { ...process.env, ...env, MAJOR: process.versions.node.split('.')[0] },
      });
      found[name] = stdout.trim() || stderr;
    });
  }
  // Node has relaxed SIMD from 22 on.
  const here = Number(process.versions.node.split('.')[0]) < 22 ? 'simd' : 'relaxed-simd';
  assert.equal(found.node, `${here} false`);
  assert.equal(found['node-relaxed'], 'relaxed-simd false');
  if ('node-current' in found) {
    assert.match(found['node-current'], /^relaxed-simd /);
    assert.match(found['node-current-simd'], /^simd /);
  }
});
