// Rotary positions, chosen weights, the mass on keys and what is captured: forms and errors that vectors and records lack.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, MultiHeadAttention, Tensor } from 'headwise';
import { assertFails } from '../lib/compare.mjs';

await init();
const options = { numHiddens: 12, numHeads: 3, seed: 4 };
const X = Tensor.randn([2, 5, 12], 1);
const rotary = () => new MultiHeadAttention({ ...options, rotary: { size: 2 } });
const plain = () => new MultiHeadAttention(options);
const weights = (layer, given) =>
  layer.forward(X, X, X, { ...given, returnWeights: true }).attentionWeights.data;
const isNear = (a, b) => a.every((x, i) => Math.abs(x - b[i]) < 1e-5);

test('rotary scores depend on differences of positions only', () => {
  const first = weights(rotary(), {});
  assert.deepEqual(weights(rotary(), { positions: [0, 1, 2, 3, 4] }), first);
  assert.deepEqual(weights(rotary(), { positions: Int32Array.of(0, 1, 2, 3, 4) }), first);
  assert(isNear(weights(rotary(), { positions: [900, 901, 902, 903, 904] }), first));
  assert(!isNear(weights(rotary(), { positions: [0, 2, 4, 6, 8] }), first));
  assert(!isNear(weights(plain(), {}), first));
});

test('positions by sample', () => {
  const shifted = [4, 3, 2, 1, 0];
  const both = weights(rotary(), { positions: [[0, 1, 2, 3, 4], shifted] });
  const half = both.length / 2;
  assert.deepEqual(both.slice(0, half), weights(rotary(), {}).slice(0, half));
  assert.deepEqual(both.slice(half), weights(rotary(), { positions: shifted }).slice(half));
});

test('rotary is an option of fromStateDict, and of a pruned layer', () => {
  const sizes = { querySize: 12, keySize: 12, valueSize: 12 };
  const layer = new MultiHeadAttention({ ...options, ...sizes, rotary: {} });
  const dict = layer.stateDict();
  const read = MultiHeadAttention.fromStateDict(dict, { numHeads: 3, rotary: {} });
  assert.deepEqual(read.forward(X, X, X).output.data, layer.forward(X, X, X).output.data);
  const gated = layer.forward(X, X, X, { headGate: [0, 1, 1] }).output.data;
  layer.pruneHeads([0]);
  assert(isNear(layer.forward(X, X, X).output.data, gated));
});

test('errors of rotary', () => {
  const make = (given) => () => new MultiHeadAttention({ ...options, rotary: given });
  assertFails(make(true), 'invalid-type', 'rotary: expected an object, got true');
  assertFails(
    make({ theta: 1 }),
    'unknown-option',
    'rotary: expected only base, size, interleaved, got theta',
  );
  assertFails(
    make({ interleaved: 1 }),
    'invalid-option',
    'rotary.interleaved: expected true or false, got 1',
  );
  assertFails(
    make({ base: '10' }),
    'invalid-option',
    'rotary.base: expected a finite number above 0, got "10"',
  );
});

test('chosen weights in several forms', () => {
  const layer = plain();
  const all = weights(layer, {});
  const row = (sample, head, query) => all.slice(((sample * 3 + head) * 5 + query) * 5).slice(0, 5);
  const chosen = (returnWeights) => layer.forward(X, X, X, { returnWeights }).attentionWeights;
  const last = chosen({ queries: 'last' });
  assert.deepEqual(last.shape, [2, 3, 1, 5]);
  assert.deepEqual(last.data.slice(5, 10), row(0, 1, 4));
  const some = chosen({ heads: [2, 0], queries: Int32Array.of(3, 1) });
  assert.deepEqual(some.shape, [2, 2, 2, 5]);
  assert.deepEqual(some.data.slice(0, 5), row(0, 2, 3));
  assert.deepEqual(some.data.slice(35), row(1, 0, 1));
  assert.deepEqual(chosen({ heads: [] }).shape, [2, 0, 5, 5]);
  assert.deepEqual(chosen({}).data, all);
  const fails = (returnWeights, code, message) =>
    assertFails(() => chosen(returnWeights), code, message);
  fails(
    { head: [1] },
    'unknown-option',
    'returnWeights: expected only heads, queries, got head; did you mean heads?',
  );
  const integers = 'expected an array of integers';
  fails({ heads: 1 }, 'invalid-type', `returnWeights.heads: ${integers}, got 1`);
  fails(
    { queries: 'first' },
    'invalid-type',
    `returnWeights.queries: ${integers} or 'last', got "first"`,
  );
  fails(
    { heads: [0.5] },
    'invalid-option',
    'returnWeights.heads: expected integers from 0 to 2, got 0.5',
  );
});

test('captured tensors, and only those asked for', () => {
  const layer = rotary();
  const { captured } = layer.forward(X, X, X, { capture: ['pooled', 'keys'] });
  assert.deepEqual(Object.keys(captured), ['pooled', 'keys']);
  assert.deepEqual(captured.pooled.shape, [2, 3, 5, 4]);
  assert.deepEqual(layer.forward(X, X, X, { capture: [] }).captured, {});
  assert.equal(layer.forward(X, X, X).captured, undefined);
  const one = Tensor.randn([5, 12], 2);
  assert.deepEqual(layer.forward(one, one, one, { keyMass: true }).keyMass.shape, [3, 5]);
  const fails = (capture, code, message) =>
    assertFails(() => layer.forward(X, X, X, { capture }), code, message);
  const known = 'only queries, keys, values, scores, pooled, droppedWeights';
  fails(['weights'], 'invalid-option', `capture: expected ${known}, got "weights"`);
  fails(['keys', 'keys'], 'invalid-option', 'capture: expected each name once, got "keys" twice');
  fails('keys', 'invalid-type', 'capture: expected an array of names, got "keys"');
});

test('a backward follows a forward that returns all of it', () => {
  const gradients = (given) => {
    const layer = rotary().train();
    const { output } = layer.forward(X, X, X, { requiresGrad: true, ...given });
    return layer.backward(output).queries.data;
  };
  const asked = { returnWeights: { heads: [1] }, keyMass: true, capture: ['scores', 'queries'] };
  assert(isNear(gradients(asked), gradients({})));
});
