// Tests of loading the package, each in a process of its own.
import assert from 'node:assert/strict';
import test from 'node:test';
import { runModule } from './child.mjs';

/** Declarations for the text of a test. */
export const prelude = `
  import assert from 'node:assert/strict';
  import { readFileSync } from 'node:fs';
  import { availableParallelism } from 'node:os';
  import * as headwise from 'headwise';
  const { init, dispose, MultiHeadAttention, Tensor, HeadwiseError } = headwise;
  const url = (name) => new URL(name, import.meta.resolve('headwise'));
  const fails = (promise, code, message) =>
    assert.rejects(promise, (error) => {
      assert.ok(error instanceof HeadwiseError, error.stack);
      assert.equal(error.code, code, error.message);
      assert.match(error.message, message);
      return true;
    });
  /** One forward of so many rows; 300 are enough for several threads. */
  const forward = (rows = 2) => {
    const X = Tensor.ones([1, rows, 96]);
    const layer = new MultiHeadAttention({ numHiddens: 96, numHeads: 6, seed: 1 });
    const { output } = layer.forward(X, X, X);
    layer.dispose();
    assert.deepEqual(output.shape, [1, rows, 96]);
    return output.data;
  };
`;

/** Runs the text of a module, behind `before`, and checks that it runs to its end. `flags` are Node's. */
export const inNewProcess = (name, text, { before = '', flags = [] } = {}) =>
  test(name, () => {
    assert.equal(runModule(`${prelude}${before}${text}; console.log('done')`, ...flags), 'done\n');
  });
