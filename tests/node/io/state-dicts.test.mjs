// Layers from state dicts of other systems, also by way of a file. tests/native/io has the other layouts.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, loadSafetensors, MultiHeadAttention, saveSafetensors, Tensor } from 'headwise';
import { assertFails, assertSameResult } from '../lib/compare.mjs';
import { layouts, prefixed } from '../lib/state-dicts.mjs';

await init();

const { fromStateDict } = MultiHeadAttention;
const sizes = { querySize: 8, keySize: 8, valueSize: 8 };
const full = { numHiddens: 12, numHeads: 3, outputSize: 5, bias: true, seed: 3, ...sizes };

function run(layer) {
  const inputs = [layer.querySize, layer.keySize, layer.valueSize].map((size, i) =>
    Tensor.randn([2, i === 0 ? 3 : 4, size], i),
  );
  return layer.forward(...inputs, { validLens: [4, 2], returnWeights: true });
}

const told = ['numHiddens', 'numHeads', 'numKvHeads', 'querySize', 'keySize', 'valueSize'];
function assertSameLayer(layer, expected) {
  assert.deepEqual(layer.stateDict(), expected.stateDict());
  for (const name of [...told, 'outputSize', 'bias', 'pooling', 'projection']) {
    assert.equal(layer[name], expected[name], name);
  }
  assertSameResult(run(layer), run(expected));
}

/** Checks that a layer is read from what `write` makes of its state dict, which is not modified. */
function assertBecomes(given, write, more = {}) {
  const layer = new MultiHeadAttention({ ...full, ...given });
  const dict = write(layer.stateDict());
  const copy = structuredClone(dict);
  const again = fromStateDict(dict, { numHeads: layer.numHeads, ...more });
  for (const [name, tensor] of Object.entries(dict)) {
    assert.deepEqual(tensor?.data, copy[name]?.data);
    if (tensor instanceof Tensor) tensor.data.fill(NaN);
  }
  assertSameLayer(again, layer);
  assert.equal(again.training, false);
}

const others = {
  'encoder.1': 'no tensor',
  'encoder.10.W_q.weight': { data: new BigInt64Array(4), shape: [2, 2] },
  'encoder.1W_q.weight': 7,
  'decoder.encoder.1.W_q.weight': Tensor.ones([1, 1]),
  'W_q.weight': null,
  epoch: 3,
};
const throughFile = (dict) => ({ ...loadSafetensors(saveSafetensors(dict)).tensors });

for (const [name, write] of Object.entries(layouts)) {
  test(`${name} gives the same layer, bit for bit: any order, form and prefix, and through a file`, () => {
    for (const given of [{}, { outputSize: 12 }, { numHeads: 12 }, { bias: false }]) {
      assertBecomes(given, write);
    }
    if (name !== 'GPT-2') assertBecomes({ biasKv: true }, write);
    const nested = ([key, tensor]) => [key, tensor.shape.length > 0 ? tensor.toArray() : tensor];
    assertBecomes({}, (dict) =>
      Object.fromEntries(Object.entries(write(dict)).reverse().map(nested)),
    );
    for (const prefix of ['encoder.1', 'encoder.1.']) {
      const behind = (dict) => ({ ...others, ...prefixed('encoder.1.', write(dict)) });
      assertBecomes({}, behind, { prefix });
    }
    assertBecomes({}, (dict) => prefixed('😀"\\.', write(dict)), { prefix: '😀"\\' });
    const ids = { dtype: 'I64', data: BigInt64Array.of(0n, 1n, 2n), shape: [1, 3] };
    assertBecomes({}, (dict) => throughFile({ ...write(dict), position_ids: ids }));
  });
}

test('every kind of layer can be read from d2l’s names', () => {
  for (const given of [
    { outputProjection: false, outputSize: 12 },
    { projection: 'convolution', querySize: 9, keySize: 6, valueSize: 3, numHeads: 3 },
    { pooling: 'additive', attentionHiddens: 1, numHeads: 6, numKvHeads: 3, biasKv: true },
    { querySize: 2, keySize: 3, valueSize: 5, numHeads: 4, numKvHeads: 2, biasKv: true },
  ]) {
    assertBecomes(given, throughFile);
  }
});

const layer = new MultiHeadAttention(full);
const dict = layer.stateDict();
const additive = new MultiHeadAttention({ ...full, pooling: 'additive', attentionHiddens: 7 });

test('options that the dict does not determine are used', () => {
  const given = {
    ...{ dropout: 0.25, scale: 0.5, softcap: 3, zeroAttention: true, seed: 11 },
    ...{ rotary: { size: 2 }, weights: 'float16' },
  };
  const expected = new MultiHeadAttention({ ...full, ...given });
  expected.loadStateDict(dict);
  const again = fromStateDict(layouts['GPT-2'](dict), { numHeads: 3, ...given });
  assert.deepEqual([again.dropout, again.seed, again.weights], [0.25, 11, 'float16']);
  assertSameLayer(again, expected);
  const [dropped, other] = [again, expected].map((each) => run(each.train()));
  assertSameResult(dropped, other);
  assert.equal(dropped.attentionWeights.shape[3], 5);
  assert.notDeepEqual(run(again.eval()).output, run(layer).output);
});

test('options that the dict determines must agree with it', () => {
  const settled = {
    ...{ numHiddens: 12, numKvHeads: 3, outputSize: 5, bias: true, biasKv: false, ...sizes },
    ...{ pooling: 'dot-product', projection: 'linear', outputProjection: true },
  };
  for (const write of Object.values(layouts)) {
    assertSameLayer(fromStateDict(write(dict), { numHeads: 3, ...settled }), layer);
  }
  const hiddens = { pooling: 'additive', attentionHiddens: 7 };
  assertSameLayer(fromStateDict(additive.stateDict(), { numHeads: 3, ...hiddens }), additive);

  for (const [name, [is, ...others]] of Object.entries({
    numHiddens: ['12', 8, '12', null],
    numKvHeads: ['3', 1, 0],
    ...{ querySize: ['8', 7], keySize: ['8', 16], valueSize: ['8', -1], outputSize: ['5', 12] },
    ...{ bias: ['true', false, 1], biasKv: ['false', true], outputProjection: ['true', false] },
    pooling: ['"dot-product"', 'additive'],
    projection: ['"linear"', 'convolution', 'none'],
  })) {
    for (const bad of others) {
      const got = typeof bad === 'string' ? `"${bad}"` : String(bad);
      const message = `${name}: expected ${is}, as the state dict has it, got ${got}`;
      const call = () => fromStateDict(dict, { numHeads: 3, [name]: bad });
      assertFails(call, 'invalid-option', message);
    }
  }
});

const integers = {
  'W_k.weight': { dtype: 'I8', data: new Int8Array(96), shape: [12, 8] },
  'W_v.bias': { dtype: 'BOOL', data: new Uint8Array(11), shape: [11] },
  step: { dtype: 'I64', data: BigInt64Array.of(3n), shape: [] },
};

test('bad dicts and options are errors', () => {
  const fails = (given, options, code, message) =>
    assertFails(() => fromStateDict(given, { numHeads: 3, ...options }), code, message);
  const aSize = 'expected an integer from 1 to 2147483647';
  fails(dict, { numHeads: undefined }, 'invalid-option', `numHeads: ${aSize}, got undefined`);
  fails(dict, { prefix: 3 }, 'invalid-option', 'prefix: expected a string, got 3');
  const hiddens = 'attentionHiddens: expected 7, as the state dict has it, got 4';
  fails(additive.stateDict(), { attentionHiddens: 4 }, 'invalid-option', hiddens);
  const anObject = 'stateDict: expected an object of tensors by name, got';
  fails(null, {}, 'invalid-type', `${anObject} null`);
  fails(new Map(Object.entries(dict)), {}, 'invalid-type', `${anObject} a Map`);
  fails(Promise.resolve(dict), {}, 'invalid-type', /got a Promise; await it/);
  const aLayer = `${anObject} a MultiHeadAttention; call its stateDict()`;
  assertFails(() => layer.loadStateDict(layer), 'invalid-type', aLayer);
  const withBias = (bias) => ({ ...dict, 'W_k.bias': bias });
  fails(withBias(3), {}, 'invalid-type', /^W_k\.bias: expected a tensor, .*, got 3$/);
  const axes = 'W_k.bias: expected axes of less than 2^32, got 4294967308';
  const long = withBias({ data: [], shape: [2 ** 32 + 12, 0] });
  fails(long, {}, 'invalid-shape', axes);
  assertFails(() => layer.loadStateDict(long), 'invalid-shape', axes);
  const few = 'W_k.bias: expected 12 numbers for shape (12,), got 11';
  fails(withBias({ dtype: 'I8', data: new Int8Array(11), shape: [12] }), {}, 'invalid-shape', few);
  const noFloats = 'W_k.weight: expected floats, got I8; W_v.bias: expected floats, got BOOL';
  const message = `stateDict: unexpected step; ${noFloats}`;
  const load = () => layer.loadStateDict({ ...dict, ...integers });
  assertFails(load, 'invalid-state-dict', message);
  const nameless = { ...dict, '': dict['W_q.weight'] };
  assertFails(() => layer.loadStateDict(nameless), 'invalid-state-dict', 'stateDict: unexpected ');
  fails(nameless, {}, 'invalid-state-dict', 'stateDict: unexpected ');
  const misshapen = `${message}; W_v.bias: expected (12,), got (11,)`;
  fails({ ...dict, ...integers }, {}, 'invalid-state-dict', misshapen);
});

test('values with other prefixes are not read', () => {
  const others = {
    get 'b.W_q.weight'() {
      throw new Error('looked at');
    },
  };
  const call = (given, prefix) => fromStateDict(given, { numHeads: 3, prefix });
  const given = Object.defineProperties(
    prefixed('a.', dict),
    Object.getOwnPropertyDescriptors(others),
  );
  call(given, 'a').dispose();
  assertFails(() => call(given, 'c'), 'invalid-state-dict', /got none; try prefix 'a'$/);
  assert.throws(() => call(given, 'b'), { message: 'looked at' });
});
