// A trained model of which it is known which heads do the work, because no others were there to do it
// while it learnt.
import {
  Adam,
  AttentionOnlyTransformer,
  inductionScores,
  InductionTask,
  patternScores,
} from 'headwise/models';

const batchSize = 32;
const testSize = 128;
const firstLearningRate = 0.005;

/**
 * What each head was meant for, layer by layer. `previous token` and `induction` are planted: the first look at the
 * token before, the second at what followed the same token before. `sharp` and `quiet` have no role: queries of the
 * sharp ones are so large that they look hard at one key, quiet ones are as they were drawn.
 */
export const roles = [
  ['sharp', 'previous token', 'quiet', 'sharp', 'previous token', 'quiet'],
  ['quiet', 'sharp', 'induction', 'quiet', 'sharp', 'induction'],
];

export const isPlanted = (/** @type {string} */ role) =>
  role === 'previous token' || role === 'induction';

/** @typedef {{ layer: number, number: number, role: string }} Head */

/**
 * Every head, layer by layer.
 *
 * @type {Head[]}
 */
export const allHeads = roles.flatMap((ofLayer, layer) =>
  ofLayer.map((role, number) => ({ layer, number, role })),
);

/** @returns {import('headwise').AttentionOnlyTransformerOptions} */
const optionsOf = (/** @type {number} */ seed) => ({
  vocabularySize: 16,
  maxLength: 24,
  numHiddens: 48,
  numHeads: roles[0].length,
  numLayers: roles.length,
  positions: 'learned',
  seed,
});

/**
 * Gates (batch, heads) of a layer that open its planted heads, but for one of each twins in two samples of three.
 *
 * @param {string[]} ofLayer
 * @param {number} batch
 * @param {number} step
 */
const plantingGates = (ofLayer, batch, step) =>
  Array.from({ length: batch }, (_, sample) => {
    let twin = 0;
    return ofLayer.map((role) => Number(isPlanted(role) && twin++ !== (sample + step) % 3));
  });

/**
 * Scores of the sharp heads are multiplied, so that softmax leaves all weight to one key.
 *
 * @param {AttentionOnlyTransformer} model
 */
function sharpen(model) {
  const dict = model.stateDict();
  for (const { layer, number, role } of allHeads) {
    const { data } = dict[`layers.${layer}.attention.W_q.weight`];
    const count = data.length / roles[layer].length;
    if (role === 'sharp') {
      data
        .subarray(number * count, (number + 1) * count)
        .forEach((x, i, rows) => (rows[i] = 30 * x));
    }
  }
  model.loadStateDict(dict);
}

/** `planting` steps with the planted heads alone, then `settling` steps with all of them. */
export class PlantedModel {
  #task = new InductionTask({ numSymbols: 16, length: 24, minPeriod: 6, maxPeriod: 12 });

  /**
   * @param {number} seed
   * @param {number} planting
   * @param {number} settling
   */
  constructor(seed, planting, settling) {
    this.seed = seed;
    this.model = new AttentionOnlyTransformer(optionsOf(seed));
    const optimizer = new Adam(this.model);
    const slowDown = (/** @type {number} */ step) => {
      // Falls to 0 with the last step, so that none throws about what is learnt: models then hardly
      // depend on how the processor rounds.
      optimizer.learningRate = firstLearningRate * (1 - step / (planting + settling));
    };
    // A head whose gate is 0 adds nothing and gets no gradient: it stays as it was drawn. Each of two twins learns to
    // do without the other, and to do no harm beside it.
    for (let step = 0; step < planting; step++) {
      slowDown(step);
      const { tokens, targets } = this.trainingBatch(step);
      const headGates = roles.map((ofLayer) => plantingGates(ofLayer, batchSize, step));
      optimizer.zeroGradients();
      this.model.lossAndGradients(tokens, targets, { headGates });
      optimizer.step();
    }
    sharpen(this.model);
    for (let step = planting; step < planting + settling; step++) {
      slowDown(step);
      const { tokens, targets } = this.trainingBatch(step);
      this.model.trainStep(tokens, targets, optimizer);
    }
    optimizer.dispose();
  }

  /** A model of its own, to be pruned. */
  copy() {
    const copy = new AttentionOnlyTransformer(optionsOf(this.seed));
    copy.loadStateDict(this.model.stateDict());
    return copy;
  }

  // Sequences: those to measure heads on and those to test on are never trained on.

  trainingBatch(/** @type {number} */ number) {
    return this.#task.batch(this.seed, batchSize, batchSize * number);
  }

  measuringBatch() {
    return this.#task.batch(this.seed + 1000, testSize);
  }

  testBatch() {
    return this.#task.batch(this.seed + 2000, testSize);
  }

  /** How much each head does what its role is called, in the order of `allHeads`: `{ previousToken, induction }`. */
  scores() {
    const { tokens } = this.testBatch();
    const { attentionWeights } = this.model.forward(tokens, { returnWeights: true });
    return attentionWeights.flatMap((weights) => {
      const induction = inductionScores(weights, tokens);
      return patternScores(weights, { causal: true }).map(({ previousToken }, head) => ({
        previousToken,
        induction: induction[head],
      }));
    });
  }

  /**
   * The loss on the test sequences, with the heads of these roles shut.
   *
   * @param {string[]} shut
   */
  lossWithout(...shut) {
    const { tokens, targets } = this.testBatch();
    const headGates = roles.map((ofLayer) => ofLayer.map((role) => Number(!shut.includes(role))));
    return this.model.loss(tokens, targets, { headGates });
  }

  dispose() {
    this.model.dispose();
  }
}
