import assert from 'node:assert/strict';
import test from 'node:test';
import { init, MultiHeadAttention, Tensor } from 'headwise';
import { assertSameResult, goodForward, maxDifference } from '../lib/compare.mjs';

await init();

const options = { numHiddens: 8, numHeads: 2, bias: true, seed: 7 };
const queries = Tensor.randn([2, 3, 5], 1);
const keys = Tensor.randn([2, 4, 6], 2);
const values = Tensor.randn([2, 4, 7], 3);

const sized = { ...options, querySize: 5, keySize: 6, valueSize: 7 };

/** Runs `use` with a layer and disposes of it. */
function withLayer(given, use) {
  const layer = new MultiHeadAttention(given);
  try {
    return use(layer);
  } finally {
    layer.dispose();
  }
}

const forward = (layer, given = { returnWeights: true }) =>
  layer.forward(queries, keys, values, given);

test('a layer tells its options', () =>
  withLayer({ ...options, dropout: 0.25, keySize: 6 }, (layer) => {
    const { numHiddens, numHeads, dropout, bias, seed } = layer;
    assert.deepEqual({ numHiddens, numHeads, dropout, bias, seed }, { ...options, dropout: 0.25 });
    const { numKvHeads, outputSize, pooling, projection } = layer;
    assert.deepEqual(
      [numKvHeads, outputSize, pooling, projection],
      [2, 8, 'dot-product', 'linear'],
    );
    assert.deepEqual([layer.querySize, layer.keySize, layer.valueSize], [undefined, 6, undefined]);
    forward(layer);
    assert.deepEqual([layer.querySize, layer.keySize, layer.valueSize], [5, 6, 7]);
  }));

test('a seed left out is drawn, told, and gives the layer again', () => {
  const parameters = (given) => withLayer(given, (layer) => [layer.seed, layer.stateDict()]);
  const [seed, expected] = parameters({ ...sized, seed: undefined });
  const [other] = parameters({ ...sized, seed: undefined });
  assert.notEqual(seed, other);
  assert.deepEqual(parameters({ ...sized, seed }), [seed, expected]);
});

test('the same seed gives the same parameters whether sizes are given or inferred', () => {
  const expected = withLayer(sized, (layer) => layer.stateDict());
  withLayer(options, (layer) => {
    forward(layer);
    assert.deepEqual(layer.stateDict(), expected);
  });
});

test('a state dict has d2l’s names and shapes, in d2l’s order', () =>
  withLayer(sized, (layer) => {
    const shapes = Object.entries(layer.stateDict()).map(([name, { shape }]) => [name, ...shape]);
    assert.deepEqual(shapes, [
      ['W_q.weight', 8, 5],
      ['W_q.bias', 8],
      ['W_k.weight', 8, 6],
      ['W_k.bias', 8],
      ['W_v.weight', 8, 7],
      ['W_v.bias', 8],
      ['W_o.weight', 8, 8],
      ['W_o.bias', 8],
    ]);
  }));

test('which parameters there are, and of which shapes, follows from the options', () => {
  const shapes = (given) =>
    withLayer({ ...sized, bias: false, ...given }, (layer) =>
      Object.fromEntries(
        Object.entries(layer.stateDict()).map(([name, { shape }]) => [name, shape]),
      ),
    );
  const plain = { 'W_q.weight': [8, 5], 'W_k.weight': [8, 6], 'W_v.weight': [8, 7] };
  const W_o = { 'W_o.weight': [8, 8] };
  assert.deepEqual(shapes({ numKvHeads: 1, biasKv: true, outputSize: 3 }), {
    ...{ 'W_q.weight': [8, 5], 'W_k.weight': [4, 6], 'W_v.weight': [4, 7], 'W_o.weight': [3, 8] },
    ...{ bias_k: [1, 1, 4], bias_v: [1, 1, 4] },
  });
  assert.deepEqual(shapes({ pooling: 'additive', attentionHiddens: 3 }), {
    ...{ ...plain, ...W_o, 'attention.W_q.weight': [3, 4], 'attention.W_k.weight': [3, 4] },
    'attention.w_v.weight': [1, 3],
  });
  assert.deepEqual(shapes({ outputProjection: false, zeroAttention: true }), plain);
  const even = { querySize: 4, keySize: 6, valueSize: 2, projection: 'convolution' };
  assert.deepEqual(shapes(even), {
    ...{ 'W_q.weight': [8, 2, 1], 'W_k.weight': [8, 3, 1], 'W_v.weight': [8, 1, 1] },
    ...W_o,
  });
  const none = { querySize: undefined, keySize: undefined, valueSize: undefined };
  assert.deepEqual(shapes({ ...none, projection: 'none' }), {});
});

test('a state dict of any kind of layer goes to another, with sizes given or read from it', () => {
  const X = Tensor.randn([2, 3, 8], 1);
  for (const given of [
    { numKvHeads: 1, biasKv: true, outputSize: 3 },
    { pooling: 'additive', attentionHiddens: 3, zeroAttention: true },
    { projection: 'convolution', outputProjection: false },
    { projection: 'none', bias: false },
  ]) {
    const run = (layer) => layer.forward(X, X, X, { returnWeights: true });
    const sizes = { querySize: 8, keySize: 8, valueSize: 8 };
    const [dict, expected] = withLayer({ ...options, ...given, ...sizes }, (layer) => [
      layer.stateDict(),
      run(layer),
    ]);
    for (const more of [{}, sizes]) {
      withLayer({ ...options, ...given, ...more, seed: 99 }, (layer) => {
        layer.loadStateDict(dict);
        assert.deepEqual(layer.stateDict(), dict);
        assert.deepEqual([layer.querySize, layer.keySize, layer.valueSize], [8, 8, 8]);
        assertSameResult(run(layer), expected);
      });
    }
  }
});

test('a state dict goes to another layer, as tensors or nested arrays, and is a copy', () => {
  const [dict, expected] = withLayer(sized, (layer) => [layer.stateDict(), forward(layer)]);
  const nested = Object.fromEntries(
    Object.entries(dict).map(([name, tensor]) => [name, tensor.toArray()]),
  );
  for (const source of [dict, nested]) {
    for (const used of [false, true]) {
      withLayer({ ...options, seed: 99 }, (layer) => {
        if (used) forward(layer);
        layer.loadStateDict(source);
        assert.deepEqual([layer.querySize, layer.keySize, layer.valueSize], [5, 6, 7]);
        assertSameResult(forward(layer), expected);
        const copy = layer.stateDict();
        assert.deepEqual(copy, dict);
        copy['W_q.weight'].data.fill(0);
        assertSameResult(forward(layer), expected);
      });
    }
  }
});

test('changing a loaded dict afterwards changes nothing', () =>
  withLayer(sized, (layer) => {
    const dict = layer.stateDict();
    const expected = forward(layer);
    layer.loadStateDict(dict);
    for (const { data } of Object.values(dict)) data.fill(0);
    assertSameResult(forward(layer), expected);
  }));

test('every way to give numbers gives the same result', () => {
  const kinds = {
    tensor: (tensor) => tensor,
    shape: ({ data, shape }) => ({ data, shape }),
    dims: ({ data, shape }) => ({ data, dims: shape, type: 'float32' }),
    'typed shape': ({ data, shape }) => ({ data, shape: Int32Array.from(shape) }),
    nested: (tensor) => tensor.toArray(),
    'rows of typed arrays': (tensor) =>
      tensor.toArray().map((rows) => rows.map((row) => Float32Array.from(row))),
    'array of numbers': ({ data, shape }) => ({ data: Array.from(data), shape }),
    Float64Array: ({ data, shape }) => ({ data: Float64Array.from(data), shape }),
    'part of a larger buffer': ({ data, shape }) => {
      const larger = new Float32Array(data.length + 5);
      larger.set(data, 3);
      return { data: larger.subarray(3, 3 + data.length), shape };
    },
  };
  withLayer(sized, (layer) => {
    const expected = forward(layer);
    for (const convert of Object.values(kinds)) {
      const inputs = [queries, keys, values].map(convert);
      assertSameResult(layer.forward(...inputs, { returnWeights: true }), expected);
    }
    const small = [queries, keys, values].map(({ data, shape }) => {
      return { data: Int8Array.from(data, (x) => 10 * x), shape };
    });
    const integers = layer.forward(...small);
    for (const Kind of [Int16Array, Int32Array, Float64Array]) {
      const same = small.map(({ data, shape }) => ({ data: Kind.from(data), shape }));
      assertSameResult(layer.forward(...same), integers);
    }
  });
});

test('every way to give lengths gives the same result', () =>
  withLayer(sized, (layer) => {
    const bySample = forward(layer, { validLens: [3, 1], returnWeights: true });
    for (const validLens of [
      Int32Array.of(3, 1),
      Uint8Array.of(3, 1),
      Float32Array.of(3, 1),
      BigInt64Array.of(3n, 1n),
      BigUint64Array.of(3n, 1n),
      [3n, 1n],
      [3.0, 1n],
      new Tensor([3, 1], [2]),
      { data: [3, 1], dims: [2] },
      { data: BigInt64Array.of(3n, 1n), dims: [2] },
      [
        [3, 3, 3],
        [1, 1, 1],
      ],
      [Int32Array.of(3, 3, 3), BigInt64Array.of(1n, 1n, 1n)],
      new Tensor([3, 3, 3, 1, 1, 1], [2, 3]),
    ]) {
      assertSameResult(forward(layer, { validLens, returnWeights: true }), bySample);
    }
    const all = forward(layer);
    assertSameResult(forward(layer, { validLens: undefined, returnWeights: true }), all);
    assertSameResult(forward(layer, { validLens: [4, 4], returnWeights: true }), all);
  }));

test('inputs are neither modified nor kept, results are the caller’s own', () =>
  withLayer(sized, (layer) => {
    const inputs = [queries, keys, values].map(
      ({ data, shape }) => new Tensor(data.slice(), shape),
    );
    const validLens = Int32Array.of(3, 1);
    const run = () => layer.forward(...inputs, { validLens, returnWeights: true });
    const first = run();
    [queries, keys, values].forEach((tensor, i) => assert.deepEqual(inputs[i], tensor));
    assert.deepEqual(validLens, Int32Array.of(3, 1));

    const copy = structuredClone(first);
    const second = run();
    const results = [first, second].flatMap((r) => [r.output.data, r.attentionWeights.data]);
    assert.equal(new Set(results.map(({ buffer }) => buffer)).size, 4);
    for (const { buffer, byteLength } of results) assert.equal(buffer.byteLength, byteLength);
    second.output.data.fill(NaN);
    second.attentionWeights.data.fill(NaN);
    inputs.forEach(({ data }) => data.fill(NaN));
    assert.deepEqual(first.output.data, copy.output.data);
    assertSameResult(forward(layer, { validLens, returnWeights: true }), first);
  }));

test('asking for weights does not change the output', () =>
  withLayer(sized, (layer) => {
    const plain = forward(layer, { validLens: [2, 3] });
    assert.deepEqual(Object.keys(plain), ['output']);
    assert.deepEqual(forward(layer, { validLens: [2, 3], returnWeights: false }), plain);
    const { output } = forward(layer, { validLens: [2, 3], returnWeights: true });
    assert.deepEqual(output.shape, plain.output.shape);
    assert.ok(maxDifference(output.data, plain.output.data) <= 1e-6);
  }));

test('what masked keys and values hold never reaches a result', () =>
  withLayer(sized, (layer) => {
    const byQuery = [
      [2, 0, 1],
      [3, 3, 2],
    ];
    for (const validLens of [[2, 3], byQuery]) {
      const given = { validLens, returnWeights: true };
      const expected = forward(layer, given);
      for (const bad of [NaN, Infinity, -Infinity]) {
        const spoil = ({ data, shape }) => {
          const [, length, size] = shape;
          const spoilt = new Tensor(data.slice(), shape);
          spoilt.data.fill(bad, 2 * size, length * size);
          spoilt.data.fill(bad, (length + 3) * size);
          return spoilt;
        };
        assertSameResult(layer.forward(queries, spoil(keys), spoil(values), given), expected);
      }
    }
  }));

test('no queries, no keys, no samples', () =>
  withLayer({ ...sized, bias: false }, (layer) => {
    const run = (batch, numQueries, numKeys, given) =>
      layer.forward(
        Tensor.ones([batch, numQueries, 5]),
        Tensor.ones([batch, numKeys, 6]),
        Tensor.ones([batch, numKeys, 7]),
        { returnWeights: true, ...given },
      );
    for (const emptyRows of ['zero', 'uniform']) {
      assert.deepEqual(run(0, 2, 3, { emptyRows }).output.shape, [0, 2, 8]);
      assert.deepEqual(run(2, 0, 3, { emptyRows }).attentionWeights.shape, [2, 2, 0, 3]);
      const withoutKeys = run(2, 3, 0, { emptyRows, validLens: [0, 0] });
      assert.deepEqual(withoutKeys.output, Tensor.zeros([2, 3, 8]));
      assert.deepEqual(withoutKeys.attentionWeights.shape, [2, 2, 3, 0]);
    }
  }));

test('dropout acts in training mode only, reproducibly, on what is pooled', () => {
  const twins = [0, 1].map(() => new MultiHeadAttention({ ...sized, dropout: 0.5 }));
  const [plain, ...runs] = [0, 1].map((i) => {
    const layer = twins[i];
    assert.equal(layer.training, false);
    const whole = forward(layer);
    assert.equal(layer.train(), layer);
    assert.equal(layer.training, true);
    const dropped = [forward(layer), forward(layer)];
    assert.equal(layer.eval(), layer);
    assertSameResult(forward(layer), whole);
    for (const { output, attentionWeights } of dropped) {
      assert.deepEqual(attentionWeights, whole.attentionWeights);
      assert.ok(maxDifference(output.data, whole.output.data) > 0.01);
    }
    assert.notDeepEqual(dropped[0].output, dropped[1].output);
    return dropped;
  });
  assert.deepEqual(runs, [plain]);
  twins.forEach((layer) => layer.dispose());
});

test('dropout 1 drops everything', () =>
  withLayer({ ...sized, dropout: 1 }, (layer) => {
    const { output } = forward(layer.train());
    const bias = layer.stateDict()['W_o.bias'].data;
    for (let row = 0; row < 6; row++) {
      assert.deepEqual(output.data.slice(8 * row, 8 * row + 8), bias);
    }
  }));

test('layers are independent of each other', () => {
  const alone = withLayer({ ...sized, dropout: 0.5 }, goodForward);
  const layers = [7, 8, 9].map((seed) => new MultiHeadAttention({ ...sized, seed, dropout: 0.5 }));
  layers[1].train();
  forward(layers[1]);
  layers[2].loadStateDict(layers[1].stateDict());
  layers[2].dispose();
  assertSameResult(goodForward(layers[0]), alone);
  layers.forEach((layer) => layer.dispose());
});
