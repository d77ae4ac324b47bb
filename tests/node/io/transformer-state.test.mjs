// What a model is made of: names, modes, state dicts, pruning, disposal.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  AttentionOnlyTransformer,
  init,
  loadSafetensors,
  MultiHeadAttention,
  saveSafetensors,
  SGD,
} from 'headwise';
import { maxDifference } from '../lib/compare.mjs';

await init();

const options = {
  ...{ vocabularySize: 5, maxLength: 4, numHiddens: 6, numHeads: 3, numLayers: 2 },
  ...{ positions: 'learned', layerNorm: true, seed: 1 },
};
const tokens = [
  [0, 1, 2, 3],
  [4, 0, 0, 1],
];
const targets = [
  [1, -1, 3, 4],
  [0, 0, 1, -1],
];

const withModel = (given, use) => {
  const model = new AttentionOnlyTransformer({ ...options, ...given });
  use(model);
  model.dispose();
};

test('a model tells what it is', () => {
  withModel({ dropout: 0.5 }, (model) => {
    const told = { ...options, numHeads: [3, 3], causal: true, training: false, disposed: false };
    for (const name of ['positions', 'layerNorm']) delete told[name];
    for (const [name, value] of Object.entries(told)) assert.deepEqual(model[name], value, name);
    assert.equal(model.learningRate, 0.001);
    assert.equal(model.train(), model);
    assert.equal(model.training, true);
    assert.equal(model.eval().training, false);
  });
  withModel({ seed: undefined, causal: false, optimizer: { learningRate: 0.5 } }, (model) => {
    assert.ok(Number.isSafeInteger(model.seed));
    assert.equal(model.causal, false);
    assert.equal(model.learningRate, 0.5);
    assert.deepEqual(
      new AttentionOnlyTransformer({ ...options, seed: model.seed }).stateDict(),
      model.stateDict(),
    );
  });
});

test('parameters have PyTorch’s names and shapes', () => {
  withModel({}, (model) => {
    const dict = model.stateDict();
    const layer = (i) => [
      ...['W_q', 'W_k', 'W_v', 'W_o'].map((name) => [
        `layers.${i}.attention.${name}.weight`,
        [6, 6],
      ]),
      [`layers.${i}.norm.weight`, [6]],
      [`layers.${i}.norm.bias`, [6]],
    ];
    const expected = [
      ['embedding.weight', [5, 6]],
      ['position.weight', [4, 6]],
      ['unembedding.weight', [5, 6]],
      ['norm.weight', [6]],
      ['norm.bias', [6]],
      ...layer(0),
      ...layer(1),
    ];
    const shapes = Object.entries(dict).map(([name, { shape }]) => [name, [...shape]]);
    assert.deepEqual(shapes.sort(), expected.sort());
    assert.ok(dict['norm.weight'].data.every((number) => number === 1));
    const firsts = Object.entries(dict).filter(([name]) => !name.includes('norm'));
    assert.equal(new Set(firsts.map(([, { data }]) => data[0])).size, 3 + 8);
  });
  withModel({ positions: 'sinusoidal', layerNorm: false, bias: true }, (model) => {
    assert.equal(Object.keys(model.stateDict()).length, 2 + 16);
    assert.deepEqual(model.stateDict()['layers.1.attention.W_o.bias'].shape, [6]);
  });
});

test('a state dict loaded is the one given, by way of safetensors too', () => {
  withModel({}, (model) =>
    withModel({ seed: 2 }, (loaded) => {
      loaded.trainStep(tokens, targets);
      const { tensors } = loadSafetensors(saveSafetensors(model.stateDict()));
      assert.notDeepEqual(loaded.forward(tokens), model.forward(tokens));
      loaded.loadStateDict(tensors);
      assert.deepEqual(loaded.stateDict(), model.stateDict());
      assert.deepEqual(loaded.forward(tokens), model.forward(tokens));
    }),
  );
});

test('dropout acts in training mode alone', () => {
  withModel({}, (plain) =>
    withModel({ dropout: 0.5 }, (model) => {
      const expected = plain.forward(tokens);
      assert.deepEqual(model.forward(tokens), expected);
      assert.notDeepEqual(model.train().forward(tokens), expected);
      assert.deepEqual(model.eval().forward(tokens), expected);
    }),
  );
});

test('pruned heads are as if gated at 0, in results and gradients', () => {
  withModel({}, (model) =>
    withModel({}, (pruned) => {
      const headGates = [
        [1, 0, 0],
        [0, 1, 1],
      ];
      pruned.pruneHeads({ 0: [2, 1], 1: [0, 0] });
      assert.deepEqual(pruned.numHeads, [1, 2]);
      assert.deepEqual(pruned.stateDict()['layers.0.attention.W_q.weight'].shape, [2, 6]);
      const [expected, got] = [model.forward(tokens, { headGates }), pruned.forward(tokens)];
      assert.ok(maxDifference(got.logits.data, expected.logits.data) <= 2e-6);
      const all = model.lossAndGradients(tokens, targets, { headGates });
      const left = pruned.lossAndGradients(tokens, targets);
      assert.ok(Math.abs(left.loss - all.loss) <= 1e-6);
      const column = ({ data }, head) => data.filter((_, i) => i % 3 === head);
      assert.ok(maxDifference(left.headGates[0].data, column(all.headGates[0], 0)) <= 1e-6);
    }),
  );
});

test('a model and a layer share an optimizer', () => {
  withModel({}, (model) => {
    const size = 6;
    const layer = new MultiHeadAttention({
      ...{ numHiddens: size, numHeads: 2, seed: 1 },
      ...{ querySize: size, keySize: size, valueSize: size },
    });
    const sgd = new SGD([model, layer], { learningRate: 0.5 });
    const [own, others] = [model.stateDict(), layer.stateDict()];
    model.lossAndGradients(tokens, targets);
    const gradients = model.gradients();
    sgd.step();
    assert.deepEqual(layer.stateDict(), others);
    for (const [name, { data }] of Object.entries(model.stateDict())) {
      const expected = own[name].data.map((number, i) => number - 0.5 * gradients[name].data[i]);
      assert.ok(maxDifference(data, expected) <= 1e-6, name);
    }
    layer.dispose();
    model.zeroGradients();
    assert.ok(model.gradients()['embedding.weight'].data.every((number) => number === 0));
    sgd.dispose();
  });
});
