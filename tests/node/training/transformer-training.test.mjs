// Training: steps by the rule, from several seeds, and interrupted.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  Adam,
  AttentionOnlyTransformer,
  inductionScores,
  InductionTask,
  init,
  patternScores,
  SGD,
} from 'headwise';
import { maxDifference } from '../lib/compare.mjs';
import { options, targets, tokens } from '../lib/transformers.mjs';

await init();

test('trainStep is gradients from zero, in training mode, and a step of the optimizer', () => {
  for (const dropout of [0, 0.5]) {
    const optimizer = { learningRate: 0.1, betas: [0.8, 0.9], epsilon: 1e-6, weightDecay: 0.1 };
    const make = () => new AttentionOnlyTransformer({ ...options, dropout, optimizer });
    const [byStep, byGiven, byHand] = [make(), make(), make().train()];
    const [given, own] = [new Adam(byGiven, optimizer), new Adam(byHand, optimizer)];
    for (let step = 0; step < 3; step++) {
      byHand.zeroGradients();
      const { loss } = byHand.lossAndGradients(tokens, targets);
      own.step();
      assert.equal(byStep.trainStep(tokens, targets), loss);
      assert.equal(byGiven.trainStep(tokens, targets, given), loss);
    }
    for (const model of [byStep, byGiven]) {
      assert.deepEqual(model.stateDict(), byHand.stateDict());
      assert.deepEqual(model.gradients(), byHand.gradients());
      assert.equal(model.training, false);
    }
    [byStep, byGiven, byHand, given, own].forEach((each) => each.dispose());
  }
});

test('every parameter is trained, by SGD as its rule has it', () => {
  const model = new AttentionOnlyTransformer(options);
  const sgd = new SGD(model, { learningRate: 0.1 });
  const before = model.stateDict();
  model.trainStep(tokens, targets, sgd);
  const gradients = model.gradients();
  for (const [name, { data }] of Object.entries(model.stateDict())) {
    const expected = before[name].data.map((number, i) => number - 0.1 * gradients[name].data[i]);
    assert.ok(maxDifference(data, expected) <= 1e-6, name);
    // Adding a number to every key's score changes no weight, so nothing moves their bias.
    const isKeyBias = name.endsWith('W_k.bias');
    assert.equal(maxDifference(data, before[name].data) > 1e-7, !isKeyBias, name);
  }
  sgd.dispose();
  model.dispose();
});

test('the learning rate is that of the next step', () => {
  const model = new AttentionOnlyTransformer(options);
  const before = model.stateDict();
  model.learningRate = 0;
  model.trainStep(tokens, targets);
  assert.deepEqual(model.stateDict(), before);
  model.learningRate = 0.01;
  assert.equal(model.learningRate, 0.01);
  model.trainStep(tokens, targets);
  assert.notDeepEqual(model.stateDict(), before);
  model.dispose();
});

const task = new InductionTask({ numSymbols: 16, length: 20, minPeriod: 4, maxPeriod: 10 });

const makeInductionModel = (seed) =>
  new AttentionOnlyTransformer({
    ...{ vocabularySize: task.vocabularySize, maxLength: task.length, numHiddens: 32 },
    ...{ numHeads: 2, numLayers: 2, positions: 'learned', layerNorm: true, seed },
    optimizer: { learningRate: 0.01 },
  });

const train = (model, seed, from, to) => {
  let loss = NaN;
  for (let step = from; step < to; step++) {
    const batch = task.batch(seed, 16, 16 * step);
    loss = model.trainStep(batch.tokens, batch.targets);
  }
  return loss;
};

/** The best of all heads on sequences of a seed that no training has. */
function bestScores(model) {
  const { tokens: unseen } = task.batch(1000, 32);
  const { attentionWeights } = model.forward(unseen, { returnWeights: true });
  const induction = attentionWeights.flatMap((weights) => inductionScores(weights, unseen));
  const patterns = attentionWeights.flatMap((weights) => patternScores(weights, { causal: true }));
  return {
    induction: Math.max(...induction),
    previousToken: Math.max(...patterns.map(({ previousToken }) => previousToken)),
  };
}

for (const seed of [1, 2, 3, 4, 5]) {
  test(`two layers learn induction from seed ${seed}`, () => {
    const model = makeInductionModel(seed);
    const before = bestScores(model);
    assert.ok(before.induction < 0.4);
    let steps = 0;
    while (bestScores(model).induction <= 0.9 && steps < 1000) {
      train(model, seed, steps, steps + 100);
      steps += 100;
    }
    const { induction, previousToken } = bestScores(model);
    assert.ok(induction > 0.9, `${induction} after ${steps} steps`);
    // The circuit: a head that looks one back, before one that looks for what it told.
    assert.ok(previousToken > 1.5 * before.previousToken, `${previousToken} after ${steps} steps`);
    model.dispose();
  });
}

test('training that is interrupted, looked at and saved ends where it would have', () => {
  const [whole, parts] = [makeInductionModel(1), makeInductionModel(1)];
  train(whole, 1, 0, 12);
  for (let step = 0; step < 12; step += 4) {
    train(parts, 1, step, step + 4);
    bestScores(parts);
    const { tokens: unseen, targets: asked } = task.batch(2, 3);
    parts.loss(unseen, asked, { headGates: [[0, 1], undefined] });
    parts.lossAndGradients(unseen, asked);
    const other = makeInductionModel(2);
    train(other, 2, 0, 1);
    parts.loadStateDict(parts.stateDict());
    other.dispose();
  }
  assert.deepEqual(parts.stateDict(), whole.stateDict());
  [whole, parts].forEach((model) => model.dispose());
});
