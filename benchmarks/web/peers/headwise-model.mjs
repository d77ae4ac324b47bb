// The language model in headwise: `generate`, and `trainStep` with the model's own Adam.
import { Transformer } from '../../../dist/index.js';
import { checkedBy, trainingLosses } from '../timing.mjs';

function newModel(problem) {
  const { vocabularySize, maxLength, numHiddens, numLayers, numHeads, ffnHiddens } = problem;
  const model = new Transformer({
    ...{ vocabularySize, maxLength, numHiddens, numLayers, numHeads, ffnHiddens },
    ...{ activation: 'silu', gated: true, norm: 'rms', positions: 'rotary', bias: false },
    optimizer: { learningRate: problem.learningRate ?? 1e-3 },
    seed: 1,
  });
  model.loadStateDict(problem.weights);
  return model;
}

export async function generation(problem) {
  const model = newModel(problem);
  const { tokens, newTokens, vocabularySize } = problem;
  const generate = () => model.generate(tokens, { maxNewTokens: newTokens });
  const generated = await generate();
  const read = Int32Array.from([...tokens, ...generated.slice(0, -1)]);
  const { logits } = model.forward(read);
  const first = Float32Array.from([...generated, ...logits.data.slice(-vocabularySize)]);
  return checkedBy(first, generate);
}

export function modelTraining(problem) {
  const model = newModel(problem);
  const { batch, length } = problem;
  const [tokens, targets] = [problem.tokens, problem.targets].map((data) => ({
    data,
    shape: [batch, length],
  }));
  return trainingLosses(() => model.trainStep(tokens, targets), problem.checkedSteps);
}
