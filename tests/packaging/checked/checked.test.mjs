// The WebAssembly build that checks: that it is loaded, and that it does. Needs build/packed/checked.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';
import { fromRoot } from '../../../scripts/lib/files.mjs';
import { loadedBy } from '../loaded-by.mjs';
import { nodeSteps } from '../../../scripts/lib/node-steps.mjs';

test('the step of tests/node that is for it loads it', async () => {
  const step = nodeSteps.find(({ name }) => name === 'node-checked');
  assert.equal(await loadedBy(step), `simd 1 ${process.version}`);
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
