// Tests of loading the package, each in a process that has not done so yet.
import assert from 'node:assert/strict';
import test from 'node:test';
import { runModule } from './child.mjs';

/** What a test's text finds there: the package, its files, and two ways to look at what `init` does. */
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
  /** One forward of so many rows; from 300 on it is work for threads. */
  const forward = (rows = 2) => {
    const X = Tensor.ones([1, rows, 96]);
    const layer = new MultiHeadAttention({ numHiddens: 96, numHeads: 6, seed: 1 });
    const { output } = layer.forward(X, X, X);
    layer.dispose();
    assert.deepEqual(output.shape, [1, rows, 96]);
    return output.data;
  };
`;

/** Runs `text`, a module's, and expects it to come to its end; more text may be found before it, and flags for Node. */
export const inNewProcess = (name, text, { before = '', flags = [] } = {}) =>
  test(name, () => {
    assert.equal(runModule(`${prelude}${before}${text}; console.log('done')`, ...flags), 'done\n');
  });
