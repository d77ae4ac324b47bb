// What a step of training is.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Adam, AttentionOnlyTransformer, init } from 'headwise';
import { options, targets, tokens } from '../lib/transformers.mjs';

await init();

test('trainStep is gradients from zero, in training mode, and a step of the optimizer', () => {
  for (const dropout of [0, 0.5]) {
    const optimizer = { learningRate: 0.1, betas: [0.8, 0.9], epsilon: 1e-6, weightDecay: 0.1 };
    const make = () => new AttentionOnlyTransformer({ ...options, dropout, optimizer });
    const [byStep, byGiven, byHand] = [make(), make(), make().train()];
    const [given, own] = [new Adam(byGiven, optimizer), new Adam(byHand, optimizer)];
    const pass = { headGates: [[1, 2, 3], undefined] };
    for (const options of [[], [pass], [undefined, pass]]) {
      byHand.zeroGradients();
      const { loss } = byHand.lossAndGradients(tokens, targets, options.at(-1));
      own.step();
      // Passes that return nothing change nothing.
      byStep.forward(tokens, { returnWeights: true });
      byStep.loss(tokens, targets, { headGates: [[0, 1, 1], undefined] });
      assert.equal(byStep.trainStep(tokens, targets, ...options), loss);
      assert.equal(byGiven.trainStep(tokens, targets, given, options.at(-1)), loss);
    }
    for (const model of [byStep, byGiven]) {
      assert.deepEqual(model.stateDict(), byHand.stateDict());
      assert.deepEqual(model.gradients(), byHand.gradients());
      assert.equal(model.training, false);
    }
    [byStep, byGiven, byHand, given, own].forEach((each) => each.dispose());
  }
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
