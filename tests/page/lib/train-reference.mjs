// The run of the act on training once more, outside the page, and what is read off its weights in double precision.
import { AttentionOnlyTransformer, init, InductionTask } from 'headwise/models';

/** The task `induction` as the page has it. */
const options = { numSymbols: 26, length: 20, minPeriod: 6, maxPeriod: 12 };

export async function startRun({ layers = 2, heads = 2, rate = 0.005, seed = 1 } = {}) {
  await init({ threads: 1 });
  const task = new InductionTask(options);
  const unseen = task.batch(2 ** 40 + seed, 64);
  const model = new AttentionOnlyTransformer({
    vocabularySize: task.vocabularySize,
    maxLength: task.length,
    numHiddens: 32,
    numHeads: heads,
    numLayers: layers,
    positions: 'learned',
    layerNorm: true,
    seed,
    optimizer: { learningRate: rate },
  });
  let step = 0;
  const { length } = task;
  return {
    length,
    /** The shown sequence. */
    tokens: Array.from(unseen.tokens.data.subarray(0, length)),
    train(until) {
      for (; step < until; step += 1) {
        const { tokens, targets } = task.batch(seed, 32, 32 * step);
        model.trainStep(tokens, targets);
      }
    },
    /** Weight of a key, all from 0, in one of the unseen sequences. */
    weights() {
      const { attentionWeights } = model.forward(unseen.tokens, { returnWeights: true });
      return (layer, head, query, key, sequence = 0) =>
        attentionWeights[layer].data[((sequence * heads + head) * length + query) * length + key];
    },
    accuracy() {
      const { logits } = model.forward(unseen.tokens);
      const { data, shape } = logits;
      const size = shape.at(-1);
      let [right, asked] = [0, 0];
      unseen.targets.data.forEach((target, at) => {
        if (target < 0) return;
        const row = Array.from(data.subarray(at * size, (at + 1) * size));
        asked += 1;
        if (row.indexOf(Math.max(...row)) === target) right += 1;
      });
      return right / asked;
    },
    /** The mean share of a head's weight on the previous token. */
    previousToken(layer, head) {
      const weight = this.weights();
      let sum = 0;
      for (let sequence = 0; sequence < 64; sequence += 1)
        for (let query = 1; query < length; query += 1)
          sum += weight(layer, head, query, query - 1, sequence);
      return sum / (64 * (length - 1));
    },
    dispose: () => model.dispose(),
  };
}
