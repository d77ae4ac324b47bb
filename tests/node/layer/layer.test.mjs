// The JavaScript side of a layer. calls.test.mjs checks its numbers.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, MultiHeadAttention, ResidentTensor, Tensor } from 'headwise';
import { assertFails, assertSameResult } from '../lib/compare.mjs';

await init();

const options = { numHiddens: 8, numHeads: 2, bias: true, seed: 7 };
const sized = { ...options, querySize: 5, keySize: 6, valueSize: 7 };
const queries = Tensor.randn([2, 3, 5], 1);
const keys = Tensor.randn([2, 4, 6], 2);
const values = Tensor.randn([2, 4, 7], 3);

const forward = (layer, given = { returnWeights: true }) =>
  layer.forward(queries, keys, values, given);

test('a layer has its options as properties', () => {
  const layer = new MultiHeadAttention({ ...options, dropout: 0.25, keySize: 6, outputSize: 3 });
  const { numHiddens, numHeads, dropout, bias, seed } = layer;
  assert.deepEqual({ numHiddens, numHeads, dropout, bias, seed }, { ...options, dropout: 0.25 });
  const { numKvHeads, outputSize, pooling, projection, weights } = layer;
  assert.deepEqual(
    [numKvHeads, outputSize, pooling, projection, weights],
    [2, 3, 'dot-product', 'linear', 'float32'],
  );
  assert.deepEqual([layer.querySize, layer.keySize, layer.valueSize], [undefined, 6, undefined]);
  forward(layer);
  assert.deepEqual([layer.querySize, layer.keySize, layer.valueSize], [5, 6, 7]);
  assert.deepEqual([layer.training, layer.train(), layer.training], [false, layer, true]);
  assert.deepEqual([layer.eval(), layer.training], [layer, false]);
  const other = new MultiHeadAttention({ ...options, weights: 'int8' });
  assert.equal(other.weights, 'int8');
});

test('without a seed one is drawn, which gives the same layer again', () => {
  const parameters = (given) => {
    const layer = new MultiHeadAttention(given);
    return [layer.seed, layer.stateDict()];
  };
  const [seed, expected] = parameters({ ...sized, seed: undefined });
  const [other] = parameters({ ...sized, seed: undefined });
  assert.notEqual(seed, other);
  assert.deepEqual(parameters({ ...sized, seed }), [seed, expected]);
});

test('a state dict is a copy in d2l’s order, the same whether sizes are given or inferred', () => {
  const layer = new MultiHeadAttention(sized);
  const dict = layer.stateDict();
  const names = ['W_q', 'W_k', 'W_v', 'W_o'].flatMap((name) => [`${name}.weight`, `${name}.bias`]);
  assert.deepEqual(Object.keys(dict), names);
  const inferred = new MultiHeadAttention(options);
  forward(inferred);
  assert.deepEqual(inferred.stateDict(), dict);
  const expected = forward(layer);
  layer.loadStateDict(dict);
  for (const { data } of Object.values(dict)) data.fill(0);
  assertSameResult(forward(layer), expected);
});

test('inputs are not kept, and the caller owns results', () => {
  const layer = new MultiHeadAttention(sized);
  const inputs = [queries, keys, values].map(({ data, shape }) => new Tensor(data.slice(), shape));
  const run = () => layer.forward(...inputs, { returnWeights: true });
  const [first, second] = [run(), run()];
  const arrays = [first, second].flatMap((r) => [r.output.data, r.attentionWeights.data]);
  assert.equal(new Set(arrays.map(({ buffer }) => buffer)).size, 4);
  for (const { buffer, byteLength } of arrays) assert.equal(buffer.byteLength, byteLength);
  [...inputs, second.output, second.attentionWeights].forEach(({ data }) => data.fill(NaN));
  assertSameResult(forward(layer), first);
});

test('one array may be given for several arguments', () => {
  const copyOf = ({ data, shape }) => new Tensor(data.slice(), shape);
  const [X, Y] = [1, 2].map((seed) => Tensor.randn([2, 5, 8], seed));
  const layer = new MultiHeadAttention(options);
  const expected = layer.forward(X, copyOf(X), copyOf(X));
  assertSameResult(layer.forward(X, X, X), expected);
  assertSameResult(layer.forward(X, X, copyOf(X)), expected);
  assertSameResult(layer.forward(X, copyOf(X), X), expected);
  assertSameResult(layer.forward(X, Y, Y), layer.forward(X, Y, copyOf(Y)));
});

test('a cache has its options as properties, and is an error once disposed of', () => {
  const layer = new MultiHeadAttention(sized);
  const cache = layer.createCache({ batchSize: 2, maxLength: 8, precision: 'int8' });
  const { batchSize, maxLength, length, precision } = cache;
  assert.deepEqual([batchSize, maxLength, length, precision], [2, 8, 0, 'int8']);
  forward(layer, { cache });
  for (const bad of [5, 1.5, NaN, '1']) {
    const message =
      bad === 5 ? /an integer from 0 to 4, got 5$/ : /^length: expected an integer from 0 on/;
    assertFails(() => cache.truncate(bad), 'invalid-value', message);
  }
  cache.reset();
  assert.equal(cache.length, 0);
  cache.dispose();
  const text = 'cache: expected one in use, got one that was disposed of';
  assertFails(() => forward(layer, { cache }), 'disposed', text);
});

test('errors name bad values of returnWeights, capture, rotary and heads', () => {
  const layer = new MultiHeadAttention(sized);
  const weights = (returnWeights) => () => forward(layer, { returnWeights });
  const capture = (names) => () => forward(layer, { capture: names });
  const rotary = (given) => () => new MultiHeadAttention({ ...sized, rotary: given });
  const prune = (heads) => () => layer.pruneHeads(heads);
  const captured = 'capture: expected only queries, keys, values, scores, pooled, droppedWeights';
  const integers = 'expected integers from 0 to 1';
  const array = 'expected an array of integers';
  const errors = {
    'invalid-type': [
      [weights({ heads: 1 }), `returnWeights.heads: ${array}, got 1`],
      [weights({ queries: 'first' }), `returnWeights.queries: ${array} or 'last', got "first"`],
      [capture('keys'), 'capture: expected an array of names, got "keys"'],
      [rotary(true), 'rotary: expected an object, got true'],
      [prune(1), `heads: ${array}, got 1`],
    ],
    'invalid-option': [
      [weights({ heads: [0.5] }), `returnWeights.heads: ${integers}, got 0.5`],
      [capture(['weights']), `${captured}, got "weights"`],
      [capture(['keys', 'keys']), 'capture: expected each name once, got "keys" twice'],
      [rotary({ base: '10' }), 'rotary.base: expected a finite number above 0, got "10"'],
      [prune([1.5]), `heads: ${integers}, got 1.5`],
      [prune(['1']), `heads: ${integers}, got "1"`],
      [prune([, 1]), `heads: ${integers}, got undefined`], // eslint-disable-line no-sparse-arrays
    ],
  };
  const expected = forward(layer);
  for (const [code, calls] of Object.entries(errors)) {
    for (const [call, message] of calls) assertFails(call, code, message);
  }
  assertSameResult(forward(layer), expected);
});

test('heads are chosen, pruned and gated by arrays of every kind', () => {
  const layer = new MultiHeadAttention(sized);
  const [X, Y] = [queries, keys];
  const rows = layer.forward(X, Y, values, { returnWeights: true }).attentionWeights.toArray();
  const chosen = { heads: Uint8Array.of(1), queries: Int32Array.of(2, 0) };
  const { attentionWeights } = forward(layer, { returnWeights: chosen });
  const expected = rows.map(([, head]) => [[head[2], head[0]]]);
  assert.deepEqual(attentionWeights.toArray(), expected);
  assert.deepEqual(forward(layer, { capture: [] }).captured, {});
  const gated = forward(layer, { headGate: Float32Array.of(0, 1) }).output.data;
  assert.deepEqual(forward(layer, { headGate: Float64Array.of(0, 1) }).output.data, gated);
  layer.pruneHeads(Uint8Array.of(0));
  assert.deepEqual([layer.numHeads, layer.numKvHeads, layer.numHiddens], [1, 1, 4]);
  forward(layer).output.data.forEach((x, i) => assert.ok(Math.abs(x - gated[i]) <= 1e-6));
});

test('inputs may be overwritten before the backward', () => {
  const [X, Y] = [Tensor.randn([2, 3, 4], 1), Tensor.randn([2, 5, 4], 2)];
  const gradOutput = Tensor.randn([2, 3, 8], 3);
  const layer = new MultiHeadAttention(options);
  const given = () => ({
    ...{ validLens: Int32Array.of(2, 5), headGate: Float32Array.of(1, 2), requiresGrad: true },
    mask: { data: Uint8Array.from({ length: 15 }, (_, i) => Number(i % 4 > 0)), shape: [3, 5] },
  });
  layer.forward(X, Y, Y, given());
  const expected = layer.backward(gradOutput);
  for (const Kind of [Tensor, ResidentTensor]) {
    const inputs = [X, Y, Y].map(({ data, shape }) => {
      const tensor = Kind === Tensor ? Tensor.zeros(shape) : new ResidentTensor(shape);
      tensor.data.set(data);
      return tensor;
    });
    const { validLens, headGate, mask, requiresGrad } = given();
    layer.forward(...inputs, { validLens, headGate, mask, requiresGrad });
    for (const { data } of inputs) data.fill(NaN);
    for (const array of [validLens, headGate, mask.data]) array.fill(0);
    // Working memory as well.
    layer.forward(Tensor.full([2, 9, 4], 7), Y, Y);
    assert.deepEqual(layer.backward(gradOutput), expected);
  }
});
