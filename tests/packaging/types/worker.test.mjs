// What the types of headwise/worker say: those of the package, later. Needs build/packed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyFolder, errorsIn, writeFiles } from './typescript.mjs';

const program = `
import {
  Adam, AttentionOnlyTransformer, dispose, init, loadSafetensors, maskedSoftmax, measureHeadImportance, MultiHeadAttention,
  scaledDotProductAttention, Tensor, transferred,
} from 'headwise/worker';
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function is<A, B>(...same: Same<A, B> extends true ? [] : [never]): void;

await init({ threads: 2 });
const attention = await new MultiHeadAttention({ numHiddens: 100, numHeads: 5 });
is<typeof attention, MultiHeadAttention>();
const X = Tensor.ones([2, 4, 100]);
const drawn: Tensor = await Tensor.randn([2], 1);
const asked = await attention.forward(X, X, X, { validLens: [3, 2], returnWeights: true });
asked.attentionWeights.shape;
const some = await attention.forward(X, X, X, { returnWeights: { heads: [1] }, capture: ['queries'], keyMass: true });
const all: readonly number[][] = [some.attentionWeights.shape, some.captured.queries.shape, some.keyMass.shape].map((each) => [...each]);
is<Awaited<ReturnType<typeof without>>, undefined>();
async function without() {
  return (await attention.forward(X, X, X)).attentionWeights;
}
const cache = await attention.createCache({ batchSize: 2, maxLength: 4 });
await attention.forward(X, X, X, { cache, causal: true });
is<typeof attention.numHeads, Promise<number>>();
is<typeof attention.training, Promise<boolean>>();
const trained: MultiHeadAttention = await attention.train();

const model = await new AttentionOnlyTransformer({ vocabularySize: 5, maxLength: 4, numHiddens: 8, numHeads: 2 });
const adam = await new Adam([model, attention]);
adam.learningRate = 0.1;
is<typeof adam.learningRate, Promise<number>>();
const loss: number = await model.trainStep([[1]], [[2]], adam);
const held: MultiHeadAttention = await model.attention(0);
const passed = await model.forward([[1]], { returnWeights: true, capture: ['queries'] });
const logits: [Tensor, Tensor[], Tensor | undefined] = [passed.logits, passed.attentionWeights, passed.captured[0]?.queries];

const file = await loadSafetensors(new Uint8Array(8));
is<typeof file.names, Promise<readonly string[]>>();
const byLayer: number[][] = await measureHeadImportance(model, { batches: [], measure: 'ablation' });
const ofLayer: number[] = await measureHeadImportance(attention, { batches: [] });
const softmax: Tensor = await maskedSoftmax(transferred(X), [1]);
const pooled = await scaledDotProductAttention(X, X, X, { returnWeights: true });
pooled.attentionWeights.at(0, 0, 0);
const copy: MultiHeadAttention = await MultiHeadAttention.fromStateDict(await attention.stateDict(), { numHeads: 5 });
await attention.dispose();
{
  await using other = await new MultiHeadAttention({ numHiddens: 4, numHeads: 2 });
  await other.numHeads;
}
dispose();
// @ts-expect-error there is no such option
await attention.forward(X, X, X, { validLen: [1] });
// @ts-expect-error a promise is no tensor
await attention.forward(Tensor.randn([1]), X, X);
// @ts-expect-error results come in memory of their own
await attention.forward(X, X, X, { out: {} });
// @ts-expect-error it is yes or no
attention.forward(X, X, X, { returnWeights: 1 });
export { all, byLayer, copy, drawn, held, logits, loss, ofLayer, softmax, trained };
`;

for (const module of ['nodenext', 'esnext']) {
  test(`headwise/worker answers with what the package does, later: module ${module}`, () => {
    const folder = emptyFolder(`worker-types-${module}`);
    const files = writeFiles(folder, { 'program.mts': program });
    const resolution = module === 'esnext' ? { moduleResolution: 'bundler' } : {};
    assert.equal(errorsIn(folder, files, { module, ...resolution, target: 'es2022' }), '');
  });
}
