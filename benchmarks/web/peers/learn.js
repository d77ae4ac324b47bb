// headwise learning a task from a seed, up to its goal. What is timed are the steps, their sequences
// included, not the tests between them. Given the package, it runs anywhere: benchmarks use it, too.

const batchSize = 32;
const stepsBetweenTests = 10;
const mostSteps = 2000;

/** The score of the head that follows the pattern best. */
function inductionScore({ inductionScores }, model, { tokens }) {
  const { attentionWeights } = model.forward(tokens, { returnWeights: true });
  return Math.max(...attentionWeights.flatMap((weights) => inductionScores(weights, tokens)));
}

/** Share of the sequences in which every target has the largest logit. */
function exactShare(_headwise, model, { tokens, targets }) {
  const { data, shape } = model.forward(tokens).logits;
  const [batch, length, vocabularySize] = shape;
  const isRight = (row) => {
    const target = targets.data[row];
    const logits = data.subarray(row * vocabularySize, (row + 1) * vocabularySize);
    return target < 0 || logits.every((logit) => logit <= logits[target]);
  };
  const rows = Array.from({ length }, (_, i) => i);
  const exact = Array.from({ length: batch }, (_, b) => rows.every((i) => isRight(b * length + i)));
  return exact.filter(Boolean).length / batch;
}

const tasks = {
  induction: {
    make: ({ InductionTask }) =>
      new InductionTask({ numSymbols: 16, length: 32, minPeriod: 8, maxPeriod: 16 }),
    score: inductionScore,
    goal: 0.9,
  },
  sort: {
    make: ({ SortTask }) => new SortTask({ numSymbols: 20, numItems: 6 }),
    score: exactShare,
    goal: 0.99,
  },
};

/** Trains up to the task's goal: steps, their milliseconds and the score on sequences that were never trained on. */
export function learn(headwise, name, seed) {
  const { make, score, goal } = tasks[name];
  const task = make(headwise);
  const model = new headwise.AttentionOnlyTransformer({
    ...{ vocabularySize: task.vocabularySize, maxLength: task.length, seed },
    ...{ numHiddens: 32, numHeads: 2, numLayers: 2, positions: 'learned', layerNorm: true },
    optimizer: { learningRate: 0.01 },
  });
  const unseen = task.batch(seed + 1000, 256);
  let [steps, milliseconds, reached] = [0, 0, 0];
  while (reached <= goal && steps < mostSteps) {
    const began = performance.now();
    for (const end = steps + stepsBetweenTests; steps < end; steps++) {
      const { tokens, targets } = task.batch(seed, batchSize, batchSize * steps);
      model.trainStep(tokens, targets);
    }
    milliseconds += performance.now() - began;
    reached = score(headwise, model, unseen);
  }
  model.dispose();
  return { steps, milliseconds, score: reached, goal };
}
