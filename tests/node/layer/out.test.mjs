// Memory of the caller's that results are written to. calls.test.mjs checks what is written there.
import assert from 'node:assert/strict';
import test from 'node:test';
import * as headwise from 'headwise';
import { assertFails, assertFailsAndChangesNothing, assertSameResult } from '../lib/compare.mjs';

const { init, MultiHeadAttention, Tensor } = headwise;

await init();

const options = { numHiddens: 8, numHeads: 2, querySize: 5, keySize: 5, valueSize: 5, seed: 1 };
const inputs = [1, 2, 3].map((seed) => Tensor.randn([2, 4, 5], seed));
const heads = [1, 2, 3].map((seed) => Tensor.randn([2, 1, 4, 5], seed));
const parameters = { W_q: Tensor.ones([3, 5]), W_k: Tensor.ones([3, 5]), w_v: Tensor.ones([1, 3]) };

const layer = new MultiHeadAttention(options);

/** Calls that take `out`, with the shapes of what they return. */
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

for (const [name, [call, { output: outputShape, attentionWeights }]] of Object.entries(calls)) {
  test(`${name} writes to parts of larger buffers, and to tensors of other shapes`, () => {
    const expected = call({ returnWeights: true });
    const larger = new Float32Array(sizeOf(attentionWeights) + 7).fill(9);
    const part = larger.subarray(3, 3 + sizeOf(attentionWeights));
    const flat = Tensor.zeros([sizeOf(outputShape)]);
    const out = { attentionWeights: part, output: flat };
    const result = call({ returnWeights: true, out });
    assert.equal(result.attentionWeights.data, part);
    assert.equal(result.output.data, flat.data);
    assert.deepEqual(flat.shape, [sizeOf(outputShape)]);
    assertSameResult(result, expected);
    assert.deepEqual([...larger.slice(0, 3), ...larger.slice(-4)], new Array(7).fill(9));
    assertSameResult(call({ returnWeights: true, out: {} }), expected);
  });
}

test('results may take the place of inputs', () => {
  const square = { ...options, numHiddens: 6, querySize: 6, keySize: 6, valueSize: 6 };
  const mine = new MultiHeadAttention(square);
  const X = Tensor.randn([2, 3, 6], 5);
  const expected = mine.forward(X, X, X);
  assert.equal(mine.forward(X, X, X, { out: { output: X } }).output, X);
  assert.deepEqual(X, expected.output);
  mine.dispose();
});

/** Memory for results of this shape that is of no use, and the errors without its name. */
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

test('memory for one result given for all, or for results there are none of', () => {
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
