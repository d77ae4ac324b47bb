// Wrong memory for results. calls.test.mjs passes memory of every kind; resident-tensors.test.mjs lets it overlap.
import assert from 'node:assert/strict';
import test from 'node:test';
import * as headwise from 'headwise';
import { assertFails, assertFailsAndChangesNothing } from '../lib/compare.mjs';

const { init, MultiHeadAttention, Tensor } = headwise;

await init();

const options = { numHiddens: 8, numHeads: 2, querySize: 5, keySize: 5, valueSize: 5, seed: 1 };
const inputs = [1, 2, 3].map((seed) => Tensor.randn([2, 4, 5], seed));
const heads = [1, 2, 3].map((seed) => Tensor.randn([2, 1, 4, 5], seed));
const parameters = { W_q: Tensor.ones([3, 5]), W_k: Tensor.ones([3, 5]), w_v: Tensor.ones([1, 3]) };

const layer = new MultiHeadAttention(options);

/** Calls that take `out`, with the shapes of their results. */
const calls = {
  forward: [
    (given) => layer.forward(...inputs, given),
    { output: [2, 4, 8], attentionWeights: [2, 2, 4, 4] },
  ],
  scaledDotProductAttention: [
    (given) => headwise.scaledDotProductAttention(...heads, given),
    { output: [2, 1, 4, 5], attentionWeights: [2, 1, 4, 4] },
  ],
  additiveAttention: [
    (given) => headwise.additiveAttention(...inputs, parameters, given),
    { output: [2, 4, 5], attentionWeights: [2, 4, 4] },
  ],
};

const sizeOf = (shape) => shape.reduce((product, size) => product * size, 1);
const showShape = (shape) => `(${shape.join(', ')})`;

/** Memory that does not fit results of this shape, and the errors without its name. */
function unfit(shape) {
  const size = sizeOf(shape);
  const numbers = `expected ${size} numbers for shape ${showShape(shape)}`;
  const kind = 'expected a Float32Array or a Tensor';
  return [
    [new Float32Array(size - 1), 'invalid-shape', `${numbers}, got ${size - 1}`],
    [new Float32Array(size + 1), 'invalid-shape', `${numbers}, got ${size + 1}`],
    [Tensor.ones([2]), 'invalid-shape', `${numbers}, got 2`],
    [new Float64Array(size), 'invalid-type', `${kind}, got a Float64Array`],
    [new Int32Array(size), 'invalid-type', `${kind}, got an Int32Array`],
    [new Array(size).fill(0), 'invalid-type', `${kind}, got an array`],
    [{ data: new Float32Array(size), shape }, 'invalid-type', `${kind}, got an object`],
    [null, 'invalid-type', `${kind}, got null`],
  ];
}

test('memory that does not fit is an error', () => {
  const unsized = { numHiddens: 8, numHeads: 2 };
  for (const [call, shapes] of Object.values(calls)) {
    for (const [name, shape] of Object.entries(shapes)) {
      for (const [memory, code, message] of unfit(shape)) {
        const given = { returnWeights: true, out: { [name]: memory } };
        assertFails(() => call(given), code, `out.${name}: ${message}`);
        if (call === calls.forward[0]) {
          const forward = (layer) => layer.forward(...inputs, given);
          assertFailsAndChangesNothing(unsized, forward, code, `out.${name}: ${message}`);
        }
      }
    }
  }
  for (const [out, code, message] of unfit([2, 4, 5])) {
    const call = () => headwise.maskedSoftmax(inputs[0], undefined, { out });
    assertFails(call, code, `out: ${message}`);
  }
});

test('`out` that is not an object of known results is an error', () => {
  const fails = (out, code, message) => {
    for (const [call] of Object.values(calls)) assertFails(() => call({ out }), code, message);
  };
  const memory = new Float32Array(64);
  fails(memory, 'invalid-type', 'out: expected an object, got a Float32Array');
  fails([memory], 'invalid-type', 'out: expected an object, got an array');
  fails(null, 'invalid-type', 'out: expected an object, got null');
  const only = 'out: expected only output, attentionWeights';
  fails(Tensor.zeros([2, 4, 8]), 'unknown-option', `${only}, got data`);
  fails({ weights: memory }, 'unknown-option', `${only}, got weights`);
});

test('a call that fails writes nothing', () => {
  const output = new Float32Array(64).fill(7);
  for (const given of [
    { out: { output, attentionWeights: new Float32Array(3) }, returnWeights: true },
    { out: { output }, validLens: [9, 9] },
    { out: { output }, headGate: [1, 1, 1] },
  ]) {
    assert.throws(() => calls.forward[0](given), { name: 'HeadwiseError' });
    assert.deepEqual(output, new Float32Array(64).fill(7));
  }
});
