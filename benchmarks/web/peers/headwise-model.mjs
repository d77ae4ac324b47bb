// The language model in headwise: `generate`, and `trainStep` with the model's own Adam.
import { loadGguf, Transformer } from '../../../dist/index.js';
import { answerOf } from '../language-model.mjs';
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

const precisions = { Q8_0: 'int8', Q4_0: 'int4' };

async function readModel({ weightType }, { gguf }) {
  return Transformer.fromPretrained({
    gguf: loadGguf(new Uint8Array(gguf)),
    weights: precisions[weightType],
  });
}

export async function generation(problem, models) {
  const { tokens, newTokens, vocabularySize, weightType } = problem;
  const model = weightType ? await readModel(problem, models) : newModel(problem);
  const generate = () => model.generate(tokens, { maxNewTokens: newTokens });
  const generated = await generate();
  const read = weightType ? tokens : Int32Array.from([...tokens, ...generated.slice(0, -1)]);
  const { logits } = model.forward(read);
  return checkedBy(answerOf(generated, logits.data.slice(-vocabularySize)), generate);
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
