// Bad options, and calls on what can no longer be used. Bad tensors are in bad-inputs.test.mjs.
import assert from 'node:assert/strict';
import test from 'node:test';
import * as headwise from 'headwise';
import { assertFails, assertFailsAndChangesNothing } from './lib/compare.mjs';

const { init, MultiHeadAttention, Tensor } = headwise;

await init();

const options = { numHiddens: 8, numHeads: 2 };
const good = Tensor.ones([2, 4, 5]);

test('options of the constructor', () => {
  const fails = (given, code, message) =>
    assertFails(() => new MultiHeadAttention(given), code, message);
  const size = 'expected an integer from 1 to 2147483647';
  fails(undefined, 'invalid-option', `numHiddens: ${size}, got undefined`);
  fails(null, 'invalid-type', 'options: expected an object, got null');
  fails(8, 'invalid-type', 'options: expected an object, got 8');
  fails([8, 2], 'invalid-type', 'options: expected an object, got an array');
  for (const value of [2.5, NaN, Infinity, '8', null, 8n, true, [8]]) {
    for (const name of ['numHiddens', 'numHeads', 'querySize', 'keySize', 'valueSize']) {
      fails({ ...options, [name]: value }, 'invalid-option', new RegExp(`^${name}: ${size}, got`));
    }
  }
  for (const dropout of ['0.5', null, 1n, true]) {
    fails(
      { ...options, dropout },
      'invalid-option',
      /^dropout: expected a number from 0 to 1, got/,
    );
  }
  for (const bias of [1, 'true', null]) {
    fails({ ...options, bias }, 'invalid-option', /^bias: expected true or false, got/);
  }
  for (const seed of [-1, 0.5, NaN, '1', null, 1n]) {
    fails(
      { ...options, seed },
      'invalid-option',
      /^seed: expected an integer from 0 to 9007199254740991, got/,
    );
  }
});

test('options that headwise does not know, or not yet, are named', () => {
  const known = 'numHiddens, numHeads, dropout, bias, querySize, keySize, valueSize, seed';
  for (const name of ['numheads', 'num_heads', 'numKvHeads', 'pooling', 'scale', 'biasKv', 'x']) {
    const construct = () => new MultiHeadAttention({ ...options, [name]: undefined });
    assertFails(construct, 'unknown-option', `options: expected only ${known}, got ${name}`);
  }
  for (const name of ['causal', 'mask', 'window', 'headGate', 'cache', 'requiresGrad', 'out']) {
    assertFailsAndChangesNothing(
      options,
      (layer) => layer.forward(good, good, good, { [name]: true }),
      'unknown-option',
      `options: expected only validLens, emptyRows, returnWeights, got ${name}`,
    );
  }
  const heads = Tensor.ones([2, 1, 4, 5]);
  for (const name of ['causal', 'scale', 'softcap', 'weightsStage']) {
    assertFails(
      () => headwise.scaledDotProductAttention(heads, heads, heads, { [name]: 1 }),
      'unknown-option',
      `options: expected only validLens, emptyRows, returnWeights, got ${name}`,
    );
  }
  assertFails(
    () => headwise.maskedSoftmax(good, [1, 1], { axis: 1 }),
    'unknown-option',
    'options: expected only emptyRows, out, got axis',
  );
});

test('values of options', () => {
  const fails = (given, code, message) =>
    assertFailsAndChangesNothing(
      options,
      (layer) => layer.forward(good, good, good, given),
      code,
      message,
    );
  fails([3, 2], 'invalid-type', 'options: expected an object, got an array');
  fails(null, 'invalid-type', 'options: expected an object, got null');
  fails('zero', 'invalid-type', 'options: expected an object, got "zero"');
  fails(
    { emptyRows: 'ones' },
    'invalid-option',
    `emptyRows: expected 'zero' or 'uniform', got "ones"`,
  );
  fails({ emptyRows: null }, 'invalid-option', `emptyRows: expected 'zero' or 'uniform', got null`);
  fails({ returnWeights: 1 }, 'invalid-option', 'returnWeights: expected true or false, got 1');
});

test('heads of the transposes that are no integers', () => {
  const heads = (call, what) => {
    for (const value of [undefined, null, 1.5, NaN, '1', 1n]) {
      assertFails(
        () => call(Tensor.ones([2, 2, 2]), value),
        'invalid-option',
        new RegExp(`^numHeads: expected a divisor of the ${what} axis of X \\(2\\), got`),
      );
    }
  };
  heads(headwise.transposeQkv, 'last');
  heads(headwise.transposeOutput, 'first');
});

test('memory to write to that does not fit', () => {
  const fails = (out, code, message) => {
    const scores = Tensor.ones([1, 2, 3]);
    assertFails(() => headwise.maskedSoftmax(scores, undefined, { out }), code, message);
  };
  const size = 'out: expected 6 numbers for shape (1, 2, 3)';
  fails(new Float32Array(5), 'invalid-shape', `${size}, got 5`);
  fails(new Float32Array(7), 'invalid-shape', `${size}, got 7`);
  fails(Tensor.ones([2]), 'invalid-shape', `${size}, got 2`);
  const kind = 'out: expected a Float32Array or a Tensor';
  fails(new Float64Array(6), 'invalid-type', `${kind}, got an object`);
  fails([0, 0, 0, 0, 0, 0], 'invalid-type', `${kind}, got an array`);
  fails(null, 'invalid-type', `${kind}, got null`);
});

test('state dicts that are none', () => {
  for (const [bad, text] of [
    [undefined, 'undefined'],
    [null, 'null'],
    ['W_q', '"W_q"'],
    [[good], 'an array'],
  ]) {
    assertFailsAndChangesNothing(
      options,
      (layer) => layer.loadStateDict(bad),
      'invalid-type',
      `stateDict: expected an object of tensors by name, got ${text}`,
    );
  }
});

test('a disposed layer', () => {
  const layer = new MultiHeadAttention(options);
  assert.equal(layer.disposed, false);
  layer.forward(good, good, good);
  layer.dispose();
  layer.dispose();
  layer[Symbol.dispose]();
  assert.equal(layer.disposed, true);
  assert.equal(layer.numHeads, 2);
  const message = 'layer: expected one in use, got one that was disposed of';
  assertFails(() => layer.forward(good, good, good), 'disposed', message);
  assertFails(() => layer.forward(), 'disposed', message);
  assertFails(() => layer.train(), 'disposed', message);
  assertFails(() => layer.eval(), 'disposed', message);
  assertFails(() => layer.stateDict(), 'disposed', message);
  assertFails(() => layer.loadStateDict({}), 'disposed', message);
});

test('properties of a layer cannot be set', () => {
  // The size of results is reckoned from them: one that could be changed would spoil memory.
  const layer = new MultiHeadAttention({ ...options, seed: 1 });
  for (const name of [
    'numHiddens',
    'numHeads',
    'dropout',
    'bias',
    'seed',
    'querySize',
    'training',
  ]) {
    const before = layer[name];
    try {
      layer[name] = 1;
    } catch (error) {
      assert.ok(error instanceof TypeError);
    }
    assert.equal(layer[name], before, name);
  }
  layer.dispose();
});
