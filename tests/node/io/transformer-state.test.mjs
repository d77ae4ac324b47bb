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
