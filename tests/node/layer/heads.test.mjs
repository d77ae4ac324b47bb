// How heads are formed, shared, gated and given extra slots.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  init,
  MultiHeadAttention,
  scaledDotProductAttention,
  splitHeads,
  Tensor,
  transposeOutput,
} from 'headwise';
import { maxDifference } from '../lib/compare.mjs';

await init();

const X = Tensor.randn([2, 3, 12], 1);
const Y = Tensor.randn([2, 5, 12], 2);

/** Runs `use` with a layer of 12 hidden units and 3 heads, and disposes of it. */
function withLayer(options, use) {
  const layer = new MultiHeadAttention({ numHiddens: 12, numHeads: 3, seed: 1, ...options });
  try {
    return use(layer);
  } finally {
    layer.dispose();
  }
}

const sizes = { querySize: 12, keySize: 12, valueSize: 12 };

const forward = (layer, options) => layer.forward(X, Y, Y, { returnWeights: true, ...options });

const near = (actual, expected, tolerance = 1e-6) =>
  assert.ok(maxDifference(actual.data ?? actual, expected.data ?? expected) <= tolerance);

test('heads that share a key-value head are neighbours', () => {
  // Rows of W_k and W_v repeated for every query head make the same layer without sharing.
  const shared = { numHeads: 6, numKvHeads: 2, bias: true };
  const [parameters, result] = withLayer({ ...sizes, ...shared }, (layer) => [
    layer.stateDict(),
    forward(layer),
  ]);
  assert.deepEqual(parameters['W_k.weight'].shape, [4, 12]);
  for (const name of ['W_k.weight', 'W_v.weight', 'W_k.bias', 'W_v.bias']) {
    const rows = parameters[name].toArray();
    parameters[name] = Array.from({ length: 12 }, (_, row) => {
      const head = Math.floor(row / 2);
      return rows[Math.floor(head / 3) * 2 + (row % 2)];
    });
  }
  withLayer({ numHeads: 6, bias: true }, (layer) => {
    layer.loadStateDict(parameters);
    const expected = forward(layer);
    near(result.output, expected.output);
    near(result.attentionWeights, expected.attentionWeights);
  });
});

test('without a projection the layer is the chapter’s functions, put together', () =>
  withLayer({ projection: 'none' }, (layer) => {
    assert.deepEqual(layer.stateDict(), {});
    const validLens = [3, 5];
    const result = forward(layer, { validLens });
    const pooled = scaledDotProductAttention(splitHeads(X, 3), splitHeads(Y, 3), splitHeads(Y, 3), {
      validLens,
      returnWeights: true,
    });
    assert.deepEqual(result.attentionWeights, pooled.attentionWeights);
    const byHead = new Tensor(pooled.output.data, [6, 3, 4]);
    assert.deepEqual(result.output, transposeOutput(byHead, 3));
  }));

test('a convolution’s head sees its own slice of the input and nothing else', () =>
  withLayer({ projection: 'convolution' }, (layer) => {
    const expected = forward(layer).attentionWeights;
    const changed = new Tensor(
      X.data.map((x, i) => (i % 36 >= 4 && i % 36 < 8 ? x + 1 : x)),
      X.shape,
    );
    const weights = layer.forward(changed, Y, Y, { returnWeights: true }).attentionWeights;
    for (let head = 0; head < 3; head++) {
      const row = (tensor) => tensor.toArray()[0][head][0];
      assert.equal(maxDifference(row(weights), row(expected)) > 1e-3, head === 1);
    }
  }));

test('extra slots come after the keys, bias_k first, the zero slot last', () => {
  const options = {
    numHiddens: 2,
    numHeads: 1,
    ...{ querySize: 2, keySize: 2, valueSize: 2 },
    outputProjection: false,
    scale: 1,
    biasKv: true,
    zeroAttention: true,
  };
  withLayer(options, (layer) => {
    const identity = [
      [1, 0],
      [0, 1],
    ];
    layer.loadStateDict({
      'W_q.weight': identity,
      'W_k.weight': identity,
      'W_v.weight': identity,
      bias_k: [[[2, 0]]],
      bias_v: [[[5, 7]]],
    });
    const keys = [
      [
        [3, 9],
        [-1, 9],
      ],
    ];
    const stage = (weightsStage, masks) =>
      layer.forward([[[1, 0]]], keys, [identity], { ...masks, weightsStage, returnWeights: true });
    for (const name of ['raw', 'softcap', 'masked']) {
      near(stage(name).attentionWeights, [3, -1, 2, 0], 0);
    }
    const exponentials = [3, -1, 2, 0].map(Math.exp);
    const sum = exponentials.reduce((a, b) => a + b);
    const [a, b, c, d] = exponentials.map((x) => x / sum);
    const whole = stage('softmax');
    near(whole.attentionWeights, [a, b, c, d]);
    near(whole.output, [a + 5 * c, b + 7 * c], 1e-5);

    // Masks speak of the keys; a query without keys still has the slots and is not an empty row.
    const slot = Math.exp(2) / (Math.exp(2) + 1);
    for (const masks of [
      { validLens: [0] },
      { mask: [false, false] },
      { mask: [-Infinity, -Infinity] },
    ]) {
      for (const emptyRows of ['zero', 'uniform']) {
        const given = { ...masks, emptyRows };
        near(stage('raw', given).attentionWeights, [3, -1, 2, 0], 0);
        near(stage('masked', given).attentionWeights, [-Infinity, -Infinity, 2, 0], 0);
        const result = stage('softmax', given);
        near(result.attentionWeights, [0, 0, slot, 1 - slot]);
        near(result.output, [5 * slot, 7 * slot], 1e-5);
      }
    }
    const none = Tensor.zeros([1, 0, 2]);
    const { attentionWeights } = layer.forward([[[1, 0]]], none, none, { returnWeights: true });
    assert.deepEqual(attentionWeights.shape, [1, 1, 1, 2]);
  });
});

test('a gate multiplies its head before W_o, the bias of W_o stays', () =>
  withLayer({ bias: true }, (layer) => {
    const plain = forward(layer);
    const parameters = layer.stateDict();
    const factors = [0, 1, -2];
    // The same by scaling the columns of W_o that read each head.
    const W_o = parameters['W_o.weight'];
    const scaled = W_o.data.map((w, i) => w * factors[Math.floor((i % 12) / 4)]);
    const expected = withLayer({ bias: true }, (other) => {
      other.loadStateDict({ ...parameters, 'W_o.weight': new Tensor(scaled, W_o.shape) });
      return forward(other).output;
    });
    for (const headGate of [factors, Float32Array.from(factors), new Tensor(factors, [3])]) {
      const gated = forward(layer, { headGate });
      near(gated.output, expected);
      assert.deepEqual(gated.attentionWeights, plain.attentionWeights);
    }
    const none = forward(layer, { headGate: [0, 0, 0] }).output;
    const bias = parameters['W_o.bias'].data;
    assert.deepEqual(
      [...none.data],
      Array.from({ length: 72 }, (_, i) => bias[i % 12]),
    );
    assert.deepEqual(forward(layer, { headGate: [1, 1, 1] }), plain);
  }));

test('a gate by sample is for that sample only', () =>
  withLayer({}, (layer) => {
    const gates = [
      [1, 0, 0.5],
      [-1, 2, 1],
    ];
    const result = forward(layer, { headGate: gates }).output.toArray();
    gates.forEach((headGate, sample) => {
      const expected = forward(layer, { headGate }).output.toArray();
      assert.deepEqual(result[sample], expected[sample]);
    });
  }));

test('without an output projection the gated heads stand side by side', () =>
  withLayer({ outputProjection: false }, (layer) => {
    const plain = forward(layer).output;
    const gated = forward(layer, { headGate: [1, 0, 3] }).output;
    const factors = [1, 0, 3];
    near(
      gated,
      plain.data.map((x, i) => x * factors[Math.floor((i % 12) / 4)]),
      0,
    );
  }));

test('the output has the size asked for', () =>
  withLayer({ outputSize: 7 }, (layer) => {
    assert.deepEqual(forward(layer).output.shape, [2, 3, 7]);
    assert.deepEqual(layer.stateDict()['W_o.weight'].shape, [7, 12]);
    assert.equal(layer.outputSize, 7);
  }));

test('inputs without a batch axis are answered without one', () =>
  withLayer({ biasKv: true }, (layer) => {
    const [x, y] = [
      new Tensor(X.data.slice(0, 36), [3, 12]),
      new Tensor(Y.data.slice(0, 60), [5, 12]),
    ];
    const masks = { mask: [true, true, false, true, true], headGate: [[1, 2, 3]] };
    const expected = layer.forward([x.toArray()], [y.toArray()], [y.toArray()], {
      ...masks,
      validLens: [4],
      returnWeights: true,
    });
    for (const validLens of [[4], [[4, 4, 4]]]) {
      const result = layer.forward(x, y, y, { ...masks, validLens, returnWeights: true });
      assert.deepEqual(result.output, new Tensor(expected.output.data, [3, 12]));
      assert.deepEqual(
        result.attentionWeights,
        new Tensor(expected.attentionWeights.data, [3, 3, 6]),
      );
    }
  }));
