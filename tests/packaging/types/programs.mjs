// Programs in TypeScript that compile if results and options have the types that they should have.

/** `is<A, B>()` compiles if A and B are the same type, `undefined` in optional properties included. */
const prelude = `
import {
  additiveAttention, AttentionOnlyTransformer, init, maskedSoftmax, measureHeadImportance, MultiHeadAttention,
  patternScores, scaledDotProductAttention, SGD, Adam, SortTask, CopyTask, AssociativeRecallTask, Tensor,
} from 'headwise';
import type { AttentionResult, Captured, ForwardOptions, InitOptions, TransformerResult } from 'headwise';
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function is<A, B>(...same: Same<A, B> extends true ? [] : [never]): void;
declare const X: Tensor;
declare const parameters: { W_q: Tensor; W_k: Tensor; w_v: Tensor };
declare const layer: MultiHeadAttention;
declare const model: AttentionOnlyTransformer;
declare const isAsked: boolean;
declare const whatever: ForwardOptions | undefined;
const nothing = undefined;
`;

/** Calls that return attention weights, given what stands for their options. */
const calls = {
  'layer.forward': ['Tensor', (options) => `layer.forward(X, X, X${options})`],
  'layer.forward over a cache': ['Tensor', (options) => `layer.forward(X, null, null${options})`],
  scaledDotProductAttention: [
    'Tensor',
    (options) => `scaledDotProductAttention(X, X, X${options})`,
  ],
  additiveAttention: ['Tensor', (options) => `additiveAttention(X, X, X, parameters${options})`],
  'model.forward': ['Tensor[]', (options) => `model.forward([[1, 2]]${options})`],
};

/** What the weights of a call are by what its options say. */
const weights = (type) => ({
  '': 'undefined',
  ', undefined': 'undefined',
  ', {}': 'undefined',
  ', { returnWeights: false }': 'undefined',
  ', { returnWeights: undefined }': 'undefined',
  ', { returnWeights: nothing }': 'undefined',
  ', { returnWeights: true }': type,
  ', { ...{}, returnWeights: true }': type,
  ', { returnWeights: isAsked }': `${type} | undefined`,
  ', isAsked ? { returnWeights: true } : {}': `${type} | undefined`,
});

/** By file name. */
export const programs = {};
for (const [name, [type, call]] of Object.entries(calls)) {
  const lines = Object.entries(weights(type)).map(
    ([options, expected], i) => `
const result${i} = ${call(options)};
is<typeof result${i}.attentionWeights, ${expected}>();`,
  );
  programs[`${name.replaceAll(/\W/g, '-')}.mts`] = prelude + lines.join('');
}

// What is in memory is answered at once, a file by Promises; what is neither is refused.
programs['safetensors.mts'] = `
import type { FileHandle } from 'node:fs/promises';
import { loadSafetensors, loadShardedSafetensors, MultiHeadAttention } from 'headwise';
import type { IntegerTensor, Safetensors, SafetensorsFile, Tensor } from 'headwise';
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function is<A, B>(...same: Same<A, B> extends true ? [] : [never]): void;
declare const handle: FileHandle;
declare const bytes: Uint8Array | DataView | ArrayBuffer | SharedArrayBuffer;
declare const source: Uint8Array | Blob | FileHandle;
type Read = Tensor | IntegerTensor;

const loaded = loadSafetensors(bytes);
is<typeof loaded, Safetensors>();
is<typeof loaded.tensors, Record<string, Read>>();
const files = [loadSafetensors(new Blob([])), loadSafetensors(new File([], '')), loadSafetensors(handle)] as const;
is<(typeof files)[0 | 1 | 2], Promise<SafetensorsFile>>();
const file = await files[0];
is<typeof file.tensors, Record<string, Promise<Read>>>();
const sharded = await loadShardedSafetensors({ metadata: { total_size: 1 }, weight_map: { a: 'b' } }, async (name) => {
  is<typeof name, string>();
  return source;
});
is<typeof sharded, SafetensorsFile>();
await loadShardedSafetensors({ weight_map: {} }, () => bytes);

for (const { names, dtype, shape, read, metadata } of [loaded, file, sharded]) {
  is<typeof names, readonly string[]>();
  is<typeof metadata, Record<string, string>>();
  const told: string = dtype('a');
  const sizes: readonly number[] = shape(told);
  const dict = await read(names.filter((name) => sizes.length > 1 && name !== 'b'));
  is<typeof dict, Record<string, Read>>();
  MultiHeadAttention.fromStateDict(dict, { numHeads: 2 });
  const all: Record<string, Read> = await read();
  MultiHeadAttention.fromStateDict(all, { numHeads: 2 });
}
MultiHeadAttention.fromStateDict(loaded.tensors, { numHeads: 2 });
// @ts-expect-error members are Promises
MultiHeadAttention.fromStateDict(file.tensors, { numHeads: 2 });
// @ts-expect-error a path is no file
loadSafetensors('model.safetensors');
// @ts-expect-error it may be bytes, whose answer is another
loadSafetensors(source).then;
// @ts-expect-error there is no weight_map
loadShardedSafetensors({ metadata: {} }, () => bytes);
// @ts-expect-error it gives no file
loadShardedSafetensors({ weight_map: {} }, (name) => name);
`;

// Every option takes undefined, and there are no others.
programs['options.mts'] = `${prelude}
const o = undefined;
const masks = { validLens: o, mask: o, causal: o, window: o, emptyRows: o };
const results = { returnWeights: o, weightsStage: o, out: o };
layer.forward(X, X, X, {
  ...masks, ...results, headGate: o, cache: o, positions: o, keyMass: o, capture: o, requiresGrad: o,
});
layer.forward(X, X, X, { out: { output: o, attentionWeights: o } });
scaledDotProductAttention(X, X, X, { ...masks, ...results, queryOffset: o, scale: o, softcap: o });
additiveAttention(X, X, X, parameters, { ...masks, ...results, queryOffset: o });
maskedSoftmax(X, o, { emptyRows: o, out: o });
patternScores(X, { causal: o });
model.forward([1], { headGates: o, returnWeights: o });
model.loss([1], [1], { headGates: o });
new MultiHeadAttention({
  numHiddens: 4, numHeads: 2, dropout: o, bias: o, querySize: o, keySize: o, valueSize: o, outputSize: o,
  outputProjection: o, numKvHeads: o, pooling: o, attentionHiddens: o, projection: o, scale: o, softcap: o, rotary: o,
  biasKv: o, zeroAttention: o, seed: o,
});
MultiHeadAttention.fromStateDict({}, { numHeads: 2, prefix: o, dropout: o });
new AttentionOnlyTransformer({
  vocabularySize: 4, maxLength: 4, numHiddens: 4, numHeads: 2, numLayers: o, positions: o, causal: o, layerNorm: o,
  bias: o, dropout: o, seed: o, optimizer: o,
});
new SGD(layer, { learningRate: o, momentum: o, weightDecay: o });
new Adam(layer, { learningRate: o, betas: o, epsilon: o, weightDecay: o });
new CopyTask({ numSymbols: 4, length: 4, offset: o });
new AssociativeRecallTask({ numNames: 4, numValues: 4, numPairs: 2, numQuestions: o });
measureHeadImportance(layer, {
  measure: o, normalize: o, onProgress: o, signal: o, loss: o,
  batches: [{ queries: X, keys: X, values: X, validLens: o, mask: o, causal: o, window: o, ignoredKeys: o }],
});
measureHeadImportance(model, { measure: o, batches: [{ tokens: [[1]], targets: o }] });
init({ variant: o, threads: o, wasm: o });
declare const module: WebAssembly.Module;
const given: InitOptions[] = [{ wasm: module }, { wasm: 'a' }, { wasm: new URL('a:b') }, { wasm: new Uint8Array() }];
// @ts-expect-error there is no such option
layer.forward(X, X, X, { returnWeight: true });
// @ts-expect-error there is no such option
model.forward([1], { returnWeight: true });
// @ts-expect-error there is no such option
scaledDotProductAttention(X, X, X, { returnWeight: true });
// @ts-expect-error it is yes or no
layer.forward(X, X, X, { returnWeights: 1 });
export { given };
`;

// What a transformer gives follows from what it is asked; all of its options take undefined.
programs['transformers.mts'] = `
import { Adam, AttentionOnlyTransformer, loadSafetensors, measureHeadImportance, MultiHeadAttention, Tensor, Transformer }
  from 'headwise';
import type {
  Captured, GenerateOptions, LossAndGradients, ModelCache, StateDict, TransformerForwardOptions, TransformerGradients,
  TransformerOptions, TransformerPassOptions, TransformerResult,
} from 'headwise';
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function is<A, B>(...same: Same<A, B> extends true ? [] : [never]): void;
declare const isAsked: boolean;
declare const whatever: TransformerForwardOptions | undefined;
declare const config: Record<string, unknown>;
const o = undefined;

const model = new Transformer({
  numHiddens: 8, numHeads: 2, vocabularySize: o, maxLength: o, numLayers: o, numKvHeads: o, headSize: o, ffnHiddens: o,
  activation: o, gated: o, norm: o, normFirst: o, normEpsilon: o, normBias: o, finalNorm: o, embeddingNorm: o,
  positions: o, positionOffset: o, rotary: o, embeddingScale: o, bias: o, qkvBias: o, tiedEmbeddings: o, logitsBias: o,
  head: o, segments: o, causal: o, dropout: o, window: o, softcap: o, scale: o, encoder: o, patches: o, seed: o,
  optimizer: o,
});
const options: TransformerOptions = {
  numHiddens: 8, numHeads: 2, activation: 'gelu-tanh', norm: 'rms', positions: 'sinusoidal-halves', window: [1, Infinity],
  encoder: { numLayers: o, numHeads: o, ffnHiddens: o },
  patches: { imageSize: 4, patchSize: 2, channels: o, classToken: o },
};
const pretrained = Transformer.fromPretrained({
  config, tensors: loadSafetensors(new Uint8Array()).tensors, dropout: o, seed: o, optimizer: o,
});
is<typeof pretrained, Transformer>();

const plain = model.forward([[1, 2]]);
is<typeof plain.logits, Tensor | undefined>();
is<typeof plain.hidden, Tensor>();
is<typeof plain.attentionWeights, undefined>();
is<typeof plain.crossAttentionWeights, Tensor[] | undefined>();
is<typeof plain.captured, undefined>();
const inside = model.forward([1], { capture: ['scores', 'keys'] });
is<typeof inside.captured, Record<'scores' | 'keys', Tensor>[]>();
is<typeof inside.attentionWeights, undefined>();
const all = model.forward([1], { returnWeights: true });
is<typeof all.attentionWeights, Tensor[]>();
is<typeof all.logits, Tensor | undefined>();
const some = model.forward(Tensor.zeros([1, 3, 4, 4]), { returnWeights: { heads: [0], queries: 'last' } });
is<typeof some.attentionWeights, Tensor[]>();
const perhaps = model.forward([1], { returnWeights: isAsked });
is<typeof perhaps.attentionWeights, Tensor[] | undefined>();
const unknown = model.forward([1], whatever);
is<typeof unknown.attentionWeights, Tensor[] | undefined>();
declare const small: AttentionOnlyTransformer;
is<ReturnType<typeof small.loss>, number>();
const ofSmall = small.forward([1]);
is<typeof ofSmall.logits, Tensor>();
is<typeof ofSmall.attentionWeights, undefined>();
const allOfSmall = small.forward([1], { returnWeights: true });
is<typeof allOfSmall.logits, Tensor>();
is<typeof allOfSmall.attentionWeights, Tensor[]>();
const results: TransformerResult[] = [plain, all, some, perhaps, unknown, ofSmall, allOfSmall];
const asTransformer: Transformer = small;

const pass = {
  validLens: o, segments: o, source: o, sourceValidLens: o, headGates: o, crossHeadGates: o, encoderHeadGates: o,
} satisfies TransformerPassOptions;
model.forward([1], { ...pass, returnWeights: o, capture: o, cache: o, requiresGrad: o });
model.forward([1], { headGates: [o, Tensor.ones([2]), [1, 0.5]], source: [[1n, 2n]], capture: ['scores'] });
is<ReturnType<typeof model.lossAndGradients>, LossAndGradients>();
model.loss([1], [1], pass);
model.trainStep([1], [1], o, pass);
model.trainStep([1], [1], new Adam([model.attention(0), small]), { source: [1] });
is<ReturnType<typeof model.backward>, TransformerGradients>();
model.backward({ hidden: o, logits: Tensor.ones([1]) });
model.backward([[1]]);

const generating: GenerateOptions = {
  maxNewTokens: 1, temperature: o, topK: o, topP: o, seed: o, stop: o, source: o, onToken: o, signal: o,
};
is<ReturnType<typeof model.generate>, Promise<number[]>>();
void model.generate([1], generating);
void model.generate(new Int32Array(1), { maxNewTokens: 1, stop: 3, onToken: (token) => is<typeof token, number>() });

const cache = model.createCache({ batchSize: 1, maxLength: 2 });
is<typeof cache, ModelCache>();
is<ReturnType<typeof model.stateDict>, StateDict>();
model.stateDict({ names: o });
model.gradients({ names: 'pretrained' });
model.pruneHeads({ 0: [1] }, { side: o });
model.pruneHeads({ 0: [1] }, { side: 'cross' });
is<ReturnType<typeof model.attention>, MultiHeadAttention>();
is<typeof model.numHeads, number[]>();
void measureHeadImportance(model, { measure: o, side: 'encoder', batches: [{ tokens: [[1]], targets: o, source: [[1]] }] });
model.train().eval().dispose();

// @ts-expect-error sizes cannot be left out
new Transformer({ vocabularySize: 4, maxLength: 4, numHeads: 2 });
// @ts-expect-error there is no such activation
new Transformer({ ...options, activation: 'tanh' });
// @ts-expect-error a layer's cache is none of a model
model.forward([1], { cache: model.attention(0).createCache({ batchSize: 1, maxLength: 1 }) });
// @ts-expect-error there is no such side
model.pruneHeads({ 0: [1] }, { side: 'decoder' });
// @ts-expect-error it must say how many
void model.generate([1], {});
// @ts-expect-error it cannot be set
model.numHiddens = 3;
export { asTransformer, results };
`;

// Types of results by name fit all results.
programs['names.mts'] = `${prelude}
const results: AttentionResult[] = [
  layer.forward(X, X, X), layer.forward(X, X, X, { returnWeights: true }), layer.forward(X, X, X, whatever),
];
const passes: TransformerResult[] = [model.forward([1]), model.forward([1], { returnWeights: true })];
const wrapped = (options?: ForwardOptions): AttentionResult => layer.forward(X, X, X, options);
is<ReturnType<typeof wrapped>['attentionWeights'], Tensor | undefined>();
const asked: AttentionResult<true> = layer.forward(X, X, X, { returnWeights: true });
is<typeof asked.attentionWeights, Tensor>();
const inside = layer.forward(X, X, X, {
  returnWeights: { heads: [0], queries: 'last' }, keyMass: true, capture: ['queries', 'pooled'],
});
is<typeof inside.attentionWeights, Tensor>();
is<typeof inside.keyMass, Tensor>();
is<typeof inside.captured.pooled, Tensor>();
// @ts-expect-error it was not asked for
void inside.captured.keys;
is<ReturnType<typeof wrapped>['attentionWeights'], Tensor | undefined>();
const some = layer.forward(X, X, X, whatever);
is<typeof some.keyMass, Tensor | undefined>();
is<typeof some.captured, Captured | undefined>();
export { passes, results };
`;
