// Programs in TypeScript that compile if the package's types are what they should be: names, results and options.

import { blocks } from '../lib/documents.mjs';

/** `is<A, B>()` compiles if A and B are the same type, `undefined` in optional properties included. */
export const isSame = `type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function is<A, B>(...same: Same<A, B> extends true ? [] : [never]): void;
`;

const prelude = `
import {
  additiveAttention, AttentionOnlyTransformer, init, maskedSoftmax, measureHeadImportance, MultiHeadAttention,
  patternScores, scaledDotProductAttention, SGD, Adam, SortTask, CopyTask, AssociativeRecallTask, Tensor,
} from 'headwise';
import type { AttentionResult, Captured, ForwardOptions, InitOptions, TransformerResult } from 'headwise';
declare const X: Tensor;
declare const parameters: { W_q: Tensor; W_k: Tensor; w_v: Tensor };
declare const layer: MultiHeadAttention;
declare const model: AttentionOnlyTransformer;
declare const isAsked: boolean;
declare const whatever: ForwardOptions | undefined;
const nothing = undefined;
`;

/** Calls that return attention weights, by their options. */
const calls = {
  'layer.forward': ['Tensor', (options) => `layer.forward(X, X, X${options})`],
  scaledDotProductAttention: [
    'Tensor',
    (options) => `scaledDotProductAttention(X, X, X${options})`,
  ],
  additiveAttention: ['Tensor', (options) => `additiveAttention(X, X, X, parameters${options})`],
  'model.forward': ['Tensor[]', (options) => `model.forward([[1, 2]]${options})`],
};

/** The type of the weights, by options. */
const weights = (type) => ({
  '': 'undefined',
  ', {}': 'undefined',
  ', { returnWeights: false }': 'undefined',
  ', { returnWeights: nothing }': 'undefined',
  ', { returnWeights: true }': type,
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

// Bytes in memory give results at once, files Promises, and other arguments errors.
programs['safetensors.mts'] = `
import type { FileHandle } from 'node:fs/promises';
import { loadSafetensors, loadShardedSafetensors, MultiHeadAttention, Tensor } from 'headwise';
import type { IntegerTensor, Safetensors, SafetensorsFile } from 'headwise';
declare const handle: FileHandle;
declare const bytes: Uint8Array | DataView | ArrayBuffer | SharedArrayBuffer;
declare const source: Uint8Array | Blob | FileHandle;
declare const X: Tensor;
declare const layer: MultiHeadAttention;
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
}
MultiHeadAttention.fromStateDict(loaded.tensors, { numHeads: 2 });
for (const tensor of Object.values(loaded.tensors)) layer.forward(tensor, tensor, tensor);
const positions = loaded.tensors['position_ids'];
if (positions instanceof Tensor) is<typeof positions.data, Float32Array>();
else if (positions?.dtype === 'I64') is<typeof positions.data, BigInt64Array>();
else if (positions) layer.forward(X, X, X, { mask: positions, keyMask: positions });
// @ts-expect-error members are Promises
MultiHeadAttention.fromStateDict(file.tensors, { numHeads: 2 });
// @ts-expect-error a path is no file
loadSafetensors('model.safetensors');
// @ts-expect-error it may be bytes, whose answer is another
loadSafetensors(source).then;
`;

// Unknown options are errors. types.test.mjs checks that every option takes undefined.
programs['options.mts'] = `${prelude}
layer.forward(X, X, X, { capture: nothing, keyMass: nothing });
model.forward([1], { capture: nothing });
measureHeadImportance(layer, { batches: [{ queries: X, keys: X, values: X }] });
measureHeadImportance(model, { batches: [{ tokens: [[1]] }] });
declare const module: WebAssembly.Module;
const given: InitOptions[] = [{ wasm: module }, { wasm: 'a' }, { wasm: new URL('a:b') }, { wasm: new Uint8Array() }];
// @ts-expect-error there is no such option
layer.forward(X, X, X, { returnWeight: true });
// @ts-expect-error there is no such stage
layer.forward(X, X, X, { weightsStage: 'scores' });
// @ts-expect-error only layers and models are trained
new Adam(X);
layer.forward(X, null, null, { returnWeights: true }).attentionWeights.shape;
export { given };
`;

// The result of a transformer depends on its options.
programs['transformers.mts'] = `
import { Tensor, Transformer } from 'headwise';
import type { CapturedActivations, GeneratedText, TransformerPassOptions } from 'headwise';

const model = new Transformer({ numHiddens: 8, numHeads: 2 });
const plain = model.forward([[1, 2]]);
is<[typeof plain.logits, typeof plain.hidden], [Tensor | undefined, Tensor]>();
is<[typeof plain.crossAttentionWeights, typeof plain.captured], [Tensor[] | undefined, undefined]>();
const inside = model.forward([1], { capture: ['scores', 'keys'] });
is<typeof inside.captured, CapturedActivations<'scores' | 'keys'>>();
is<typeof inside.captured.keys, Tensor[]>();
is<typeof inside.attentionWeights, undefined>();
declare const pass: TransformerPassOptions;
model.forward([1], { ...pass, requiresGrad: true });
is<ReturnType<typeof model.generate>, Promise<number[] | GeneratedText>>();
const text = model.generate([1], { maxNewTokens: 1 });
is<typeof text, Promise<number[]>>();
// @ts-expect-error sizes cannot be left out
new Transformer({ vocabularySize: 4, maxLength: 4, numHeads: 2 });
// @ts-expect-error a layer's cache is none of a model
model.forward([1], { cache: model.attention(0).createCache({ batchSize: 1, maxLength: 1 }) });
// @ts-expect-error there is no such side
model.pruneHeads({ 0: [1] }, { side: 'decoder' });
// @ts-expect-error it cannot be set
model.numHiddens = 3;
`;

// Named types of results fit all results.
programs['names.mts'] = `${prelude}
const wrapped = (options?: ForwardOptions): AttentionResult => layer.forward(X, X, X, options);
is<ReturnType<typeof wrapped>['attentionWeights'], Tensor | undefined>();
const passes: TransformerResult[] = [model.forward([1]), model.forward([1], { returnWeights: true })];
const asked: AttentionResult<true> = layer.forward(X, X, X, { returnWeights: true });
const inside = layer.forward(X, X, X, {
  returnWeights: { heads: [0], queries: 'last' }, keyMass: true, capture: ['queries', 'pooled'],
});
is<[typeof inside.attentionWeights, typeof inside.keyMass, typeof inside.captured.pooled], [Tensor, Tensor, Tensor]>();
// @ts-expect-error it was not asked for
void inside.captured.keys;
const some = layer.forward(X, X, X, whatever);
is<[typeof some.keyMass, typeof some.captured], [Tensor | undefined, Captured | undefined]>();
export { asked, passes };
`;

// headwise/worker returns Promises of the package's results.
programs['worker.mts'] = `import {
  Adam, AttentionOnlyTransformer, init, loadGguf, maskedSoftmax, MultiHeadAttention, Tensor, transferred, Transformer,
} from 'headwise/worker';

await init({ threads: 2 });
const attention = await new MultiHeadAttention({ numHiddens: 100, numHeads: 5 });
is<typeof attention, MultiHeadAttention>();
const X = Tensor.ones([2, 4, 100]);
const some = await attention.forward(X, X, X, { returnWeights: { heads: [1] }, capture: ['queries'], keyMass: true });
is<[typeof some.attentionWeights, typeof some.captured.queries, typeof some.keyMass], [Tensor, Tensor, Tensor]>();
const plain = await attention.forward(X, X, X, { cache: await attention.createCache({ batchSize: 2, maxLength: 4 }) });
is<typeof plain.attentionWeights, undefined>();
is<typeof attention.numHeads, Promise<number>>();
const model = await new AttentionOnlyTransformer({ vocabularySize: 5, maxLength: 4, numHiddens: 8, numHeads: 2 });
const adam = await new Adam([model, attention]);
adam.learningRate = 0.1;
is<typeof adam.learningRate, Promise<number>>();
const passed = await model.forward([[1]], { returnWeights: true });
is<[typeof passed.logits, typeof passed.attentionWeights], [Tensor, Tensor[]]>();
const ofFile = await Transformer.fromPretrained({ gguf: await loadGguf(new Blob([])) });
is<typeof ofFile, Transformer>();
const softmax: Tensor = await maskedSoftmax(transferred(X), [1]);
{
  await using other = await new MultiHeadAttention({ numHiddens: 4, numHeads: 2 });
  await other.dispose();
}
// @ts-expect-error there is no such option
await attention.forward(X, X, X, { validLen: [1] });
// @ts-expect-error a promise is no tensor
await attention.forward(Tensor.randn([1]), X, X);
// @ts-expect-error a worker writes into memory of its own
await attention.forward(X, X, X, { out: {} });
export { softmax };
`;

// Every public name from every entry, and types that depend on arguments; without types of the DOM. The compiler checks
// the other types in the sources.
programs['public.mts'] = `
import * as headwise from 'headwise';
import * as inline from 'headwise/inline';
import * as models from 'headwise/models';
import * as worker from 'headwise/worker';
import type {
  BackwardOptions, BlobLike, CacheOptions, CachePrecision, ErrorCode, FileHandleLike, ForwardOptions, Gguf,
  GgufTokenizer, GgufValue, Gradients, Initialized, InitOptions, IntegerTensor, MaskInput, NestedArray, OwnBytes, Pooling, Precision, Projection,
  Safetensors, SafetensorsFile, Slice, StateDict, TensorInput, TensorJSON, TensorLike, TensorsByName, TokensInput,
  ValidLens, Variant,
} from 'headwise';
import type {
  HeadMeasure, PatternScores, TaskBatch, Trainable, TransformerOptions, TransformerPassOptions,
} from 'headwise/models';
// @ts-expect-error it is not public
import type { ThreadPool } from 'headwise';
/** Compiles if every value is an A. */
declare function takes<A>(...values: A[]): void;

is<typeof models, typeof headwise>();
is<typeof inline, typeof headwise>();
const {
  Adam, additiveAttention, AssociativeRecallTask, AttentionOnlyTransformer, clipGradientNorm, CopyTask, dispose,
  exportCheckpoint, HeadwiseError, inductionScores, InductionTask, init, keyScores, KeyValueCache, leastImportantHeads, loadGguf, loadNpy,
  loadSafetensors, loadShardedSafetensors, maskedSoftmax, measureHeadImportance, ModelCache, MultiHeadAttention, Optimizer,
  patternScores, positionalEncoding, ResidentTensor, ReverseTask, saveNpy, saveSafetensors, scaledDotProductAttention,
  SGD, SortTask, splitHeads, Task, Tensor, Transformer, transposeOutput, transposeQkv, ...others
} = headwise;
// A public name that is not tried here does not compile.
is<keyof typeof others, never>();
type Tensor = headwise.Tensor;

is<typeof init, (options?: InitOptions) => Promise<Initialized>>();
const X = new Tensor([1, 2, 3, 4, 5, 6], [1, 2, 3]);
is<typeof X.shape, readonly number[]>();
is<typeof X.data, Float32Array>();
const resident = new ResidentTensor([1, 2, 3]);
takes<TensorLike>({ data: new Float32Array(1), dims: [1] as const }, X);
takes<TensorInput>(X, resident, [[1]], { data: [1], shape: [1] }, { data: new Float64Array(1), shape: [1] });
takes<MaskInput>([[true]]);
takes<ValidLens>([1n], new BigInt64Array(1));
takes<TokensInput>(new Int32Array(1));
// @ts-expect-error texts are no numbers
takes<TensorInput>(['1']);
const layer = new MultiHeadAttention({ numHiddens: 4, numHeads: 2, pooling: 'dot-product' });
is<[typeof layer.querySize, typeof layer.numHeads], [number | undefined, number]>();
is<[typeof layer.pooling, typeof layer.projection, typeof layer.weights], [Pooling, Projection, Precision]>();
takes<Trainable>(layer.train().eval());
takes<Tensor>(layer.forward([[[1]]], resident, { data: new Float64Array(1), shape: [1, 1, 1] }).output);
// A wrapper keeps the types of a call.
export const wrapped = <Weights extends boolean>(given: ForwardOptions<Weights>) => layer.forward(X, X, X, given).output;

declare const blob: BlobLike;
declare const handle: FileHandleLike;
takes<OwnBytes>(saveNpy(X), saveSafetensors({ X }, { made: 'here' }));
takes<Promise<SafetensorsFile>>(loadSafetensors(blob), loadSafetensors(handle));
const gguf: Gguf = loadGguf(new ArrayBuffer(1));
takes<GgufValue | undefined>(gguf.metadata['general.architecture'], 1n, [['text'], [true]]);
takes<headwise.Transformer>(headwise.Transformer.fromPretrained({ gguf, weights: 'int8' }));
takes<Promise<headwise.Transformer>>(headwise.Transformer.fromPretrained({ gguf: await loadGguf(blob) }));

const model = new AttentionOnlyTransformer({ vocabularySize: 4, maxLength: 4, numHiddens: 4, numHeads: 2 });
takes<InstanceType<typeof Transformer>>(model);
takes<InstanceType<typeof Optimizer>>(new SGD([layer, model]), new Adam(model));
takes<InstanceType<typeof Task>>(new CopyTask({ numSymbols: 2, length: 4 }));
// @ts-expect-error it is abstract
new Task();
takes<Promise<number[]>>(measureHeadImportance(layer, { batches: [] }));
takes<Promise<number[][]>>(measureHeadImportance(model, { batches: [] }));
is<HeadMeasure, 'gradient' | 'ablation' | 'confidence' | 'entropy'>();

// Errors have a code, which programs can switch on.
declare const caught: unknown;
if (caught instanceof HeadwiseError) {
  takes<Error>(caught);
  is<typeof caught.code, ErrorCode>();
  is<typeof caught.name, 'HeadwiseError'>();
}
// @ts-expect-error there is no such code
takes<ErrorCode>('invalid-size');

is<ReturnType<typeof worker.init>, Promise<worker.Initialized>>();
`;

// Every name of headwise/view.
programs['view.mts'] = `
import { Tensor } from 'headwise';
import * as view from 'headwise/view';

const X = new Tensor([1], [1, 1, 1]);
const { AttentionHeadsElement, defineAttentionHeads, headColour, numHeadColours, ...others } = view;
const { HeadScoresElement, defineHeadScores, LogitLensElement, defineLogitLens, ...more } = others;
is<keyof typeof more, never>();
const colour: string = headColour(numHeadColours);
const weights: view.AttentionWeights = X;
is<HTMLElementTagNameMap['attention-heads'], InstanceType<typeof AttentionHeadsElement>>();
declare const heads: HTMLElementTagNameMap['attention-heads'];
heads.weights = X;
heads.weights = [X, { data: [1], shape: [1, 1, 1] }, { data: [1], dims: [1, 1, 1] }, [[[1]]]];
const props: view.AttentionHeadsProps = { tokens: ['a'], mean: true };
is<typeof heads.view, view.AttentionHeadsView>();
is<view.AttentionHeadsView, 'arcs' | 'map' | 'model'>();
is<[typeof heads.head, typeof heads.query], [number | undefined, number | undefined]>();
const svg: string = heads.toSVG();
is<HTMLElementTagNameMap['head-scores'], InstanceType<typeof HeadScoresElement>>();
is<HTMLElementTagNameMap['logit-lens'], InstanceType<typeof LogitLensElement>>();
const scores: view.HeadScoresProps = { scores: X, heads, layer: 0, words: { none: '' } };
const numbers: view.NumbersLike = [[[1]]];
const lens: view.LogitLensProps = { logits: numbers, tokenOf: (token) => token.toFixed(), top: 2 };
addEventListener('lens-select', (event) => {
  const { tokens } = (event as CustomEvent<view.LensSelection>).detail;
  is<(typeof tokens)[number], view.TokenProbability>();
});
const told = (event: view.AttentionHeadsEventMap['attention-select']) => event.detail.query;
heads.addEventListener('attention-select', ({ detail }) => detail.query.toFixed(), { once: true });
heads.addEventListener('click', ({ clientX }) => clientX.toFixed());
heads.removeEventListener('attention-select', told);
document.createElement('head-scores').addEventListener('head-select', ({ detail }) => detail.score.toFixed());
document.createElement('logit-lens').addEventListener('lens-select', ({ detail }) => detail.tokens.length);
// @ts-expect-error it has no such detail
heads.addEventListener('attention-select', ({ detail }) => detail.score);
is<[view.HeadScoresEventMap['head-select'], view.LogitLensEventMap['lens-select']], [CustomEvent<view.HeadSelection>, CustomEvent<view.LensSelection>]>();
export { lens, scores, colour, props, svg, weights };
`;

const [component] = blocks('docs/view.md', 'React, Preact, Vue and jsdom', 'tsx');
const inJsx = (JSX) => ({
  types: `export type Ref<T> = (element: T | null) => void;
    ${JSX} { interface IntrinsicElements { div: { id?: string; ref?: Ref<HTMLDivElement> } } }`,
  used: `${component}
    declare const found: (element: HTMLElementTagNameMap['attention-heads'] | null) => void;
    export const used = <attention-heads id="a" ref={found} />;
    export const map = <head-scores id="b" heads="a" onhead-select={({ detail }) => detail.score} />;
    export const lens = <logit-lens top={2} onlens-select={({ detail }) => detail.tokens} />;
    // @ts-expect-error there is no such view
    export const wrong = <attention-heads view="table" />;`,
});

/** Of frameworks, by name, what they declare of elements, and a program that uses the elements. */
export const frameworks = {
  react: inJsx('export namespace JSX'),
  preact: inJsx('export import JSX = Internal; declare namespace Internal'),
  vue: {
    types: 'export interface HTMLAttributes { id?: string } export interface GlobalComponents {}',
    used: `import 'headwise/view';
      import type { GlobalComponents } from 'vue';
      type Props = InstanceType<GlobalComponents['attention-heads']>['$props'];
      export const used: Props = { id: 'a', onAttentionSelect: ({ detail }) => detail.query };
      export const lens: InstanceType<GlobalComponents['logit-lens']>['$props'] = {
        onLensSelect: ({ detail }) => detail.layer,
      };
      // @ts-expect-error there is no such view
      export const wrong: Props = { view: 'table' };`,
  },
};
