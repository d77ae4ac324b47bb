// The calls of tasks and models that errors.txt names.
import assert from 'node:assert/strict';
import * as headwise from 'headwise';
import { taskOf, tokensOf, transformerOptionsOf } from './model-records.mjs';

const { AttentionOnlyTransformer, Tensor } = headwise;

const errorOf = (call) => {
  try {
    return call();
  } catch (error) {
    return `${error}`;
  }
};

/** A call on a model that must leave it as it was. */
function onModel(record, call) {
  const model = new AttentionOnlyTransformer({ ...transformerOptionsOf(record), optimizer: {} });
  const [state, gradients] = [model.stateDict(), model.gradients()];
  try {
    return call(model);
  } finally {
    assert.deepEqual(model.stateDict(), state);
    assert.deepEqual(model.gradients(), gradients);
    assert.equal(model.learningRate, 0.001);
    assert.equal(model.training, false);
    model.dispose();
  }
}

/** The error of `loss`, which the other passes must share. */
const pass = (record) =>
  onModel(record, (model) => {
    const [tokens, targets] = ['tokens', 'targets'].map((key) => tokensOf(record, key));
    const headGates = record
      .all('gate')
      .map((line) => (line === '' ? undefined : Tensor.ones([Number(line)])));
    const loss = () => model.loss(tokens, targets, { headGates });
    const expected = errorOf(loss);
    assert.equal(
      errorOf(() => model.lossAndGradients(tokens, targets, { headGates })),
      expected,
    );
    if (headGates.length === 0) {
      assert.equal(
        errorOf(() => model.trainStep(tokens, targets)),
        expected,
      );
    }
    if (!record.text('message').startsWith('targets')) {
      assert.equal(
        errorOf(() => model.forward(tokens, { headGates })),
        expected,
      );
    }
    loss();
  });

const load = (record) =>
  onModel(record, (model) => {
    const dict = record.all('parameter').map((line) => {
      const [name, ...shape] = line.split(' ');
      return [name, Tensor.ones(shape.map(Number))];
    });
    model.loadStateDict(Object.fromEntries(dict));
  });

const weightsOf = (record) => Tensor.zeros(record.numbers('attention_weights'));

export const modelCalls = {
  construct_task: taskOf,
  task_batch: (record) =>
    taskOf(record).batch(1, record.number('batch_size'), record.number('first')),
  pattern_scores: (record) => headwise.patternScores(weightsOf(record), { causal: true }),
  induction_scores: (record) =>
    headwise.inductionScores(weightsOf(record), tokensOf(record, 'tokens')),
  key_scores: (record) => headwise.keyScores(weightsOf(record), tokensOf(record, 'tokens')),
  construct_model: (record) => new AttentionOnlyTransformer(transformerOptionsOf(record)),
  set_learning_rate: (record) =>
    onModel(record, (model) => {
      model.learningRate = record.number('learning_rate');
    }),
  model_pass: pass,
  load_model: load,
};

export const promisingCalls = {
  measure_model: (record) =>
    onModel(record, (model) =>
      headwise.measureHeadImportance(model, {
        measure: record.text('measure'),
        normalize: record.number('normalize') === 1,
        batches: [{ tokens: tokensOf(record, 'tokens'), targets: tokensOf(record, 'targets') }],
      }),
    ),
};
