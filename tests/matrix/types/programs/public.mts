// Every public class and function, called, and what it gives. What follows from options is in
// tests/packaging/types/programs.mjs.
import { expectTypeOf } from 'expect-type';
import * as headwise from 'headwise';
import * as models from 'headwise/models';
import type {
  BackwardOptions,
  BlobLike,
  CacheOptions,
  CachePrecision,
  ErrorCode,
  FileHandleLike,
  ForwardOptions,
  Gradients,
  Initialized,
  InitOptions,
  IntegerTensor,
  MaskInput,
  NestedArray,
  OwnBytes,
  Pooling,
  Precision,
  Projection,
  Safetensors,
  SafetensorsFile,
  Slice,
  StateDict,
  TensorInput,
  TensorJSON,
  TensorLike,
  TensorsByName,
  TokensInput,
  ValidLens,
  Variant,
} from 'headwise';
import type {
  HeadMeasure,
  PatternScores,
  TaskBatch,
  Trainable,
  TransformerOptions,
  TransformerPassOptions,
} from 'headwise/models';

expectTypeOf(models).toEqualTypeOf(headwise);

const {
  Adam,
  additiveAttention,
  AssociativeRecallTask,
  AttentionOnlyTransformer,
  clipGradientNorm,
  CopyTask,
  dispose,
  HeadwiseError,
  inductionScores,
  InductionTask,
  init,
  keyScores,
  KeyValueCache,
  loadNpy,
  loadSafetensors,
  loadShardedSafetensors,
  maskedSoftmax,
  measureHeadImportance,
  ModelCache,
  MultiHeadAttention,
  Optimizer,
  patternScores,
  positionalEncoding,
  ResidentTensor,
  ReverseTask,
  saveNpy,
  saveSafetensors,
  scaledDotProductAttention,
  SGD,
  SortTask,
  splitHeads,
  Task,
  Tensor,
  Transformer,
  transposeOutput,
  transposeQkv,
  ...others
} = headwise;
// A public name that is not tried here does not compile.
expectTypeOf<keyof typeof others>().toEqualTypeOf<never>();
type Tensor = headwise.Tensor;

// init
expectTypeOf(init).parameter(0).toEqualTypeOf<InitOptions | undefined>();
expectTypeOf(init).returns.resolves.toEqualTypeOf<Initialized>();
expectTypeOf<Initialized>().toEqualTypeOf<{
  readonly variant: Variant;
  readonly threads: number;
}>();
expectTypeOf<Variant>().toEqualTypeOf<'simd' | 'relaxed-simd'>();
expectTypeOf(dispose).toEqualTypeOf<() => void>();
const options: InitOptions[] = [
  ...[{}, { threads: 2 }, { threads: 'auto' as const }, { variant: 'auto' as const }],
  ...[
    { wasm: '/a.wasm' },
    { wasm: new URL('a:b') },
    { wasm: new Uint8Array() },
    { wasm: new ArrayBuffer(1) },
  ],
];
void init(options[0]);

// Tensors, and all that is taken as one
const X = new Tensor([1, 2, 3, 4, 5, 6], [1, 2, 3]);
expectTypeOf(X).toEqualTypeOf<Tensor>();
expectTypeOf(X.shape).toEqualTypeOf<readonly number[]>();
expectTypeOf(X.data).toEqualTypeOf<Float32Array>();
expectTypeOf(X.at(0, 1)).toEqualTypeOf<number>();
expectTypeOf(X.toArray()).toEqualTypeOf<NestedArray>();
expectTypeOf(X.reshape([3, -1])).toEqualTypeOf<Tensor>();
expectTypeOf(X.slice(0, [1], undefined)).toEqualTypeOf<Tensor>();
const parts: Slice[] = [0, [1], [0, -1], undefined];
expectTypeOf(X.slice(...parts)).toEqualTypeOf<Tensor>();
expectTypeOf(X.toJSON()).toEqualTypeOf<TensorJSON>();
expectTypeOf(X.toString()).toEqualTypeOf<string>();
for (const made of [
  Tensor.ones([1]),
  Tensor.zeros([1]),
  Tensor.full([1], 2),
  Tensor.randn([1], 1),
]) {
  expectTypeOf(made).toEqualTypeOf<Tensor>();
}
expectTypeOf(Tensor.from(X.toJSON())).toEqualTypeOf<Tensor>();
expectTypeOf<Tensor>().toExtend<TensorInput>();
expectTypeOf<{ data: Float32Array; dims: readonly number[] }>().toExtend<TensorLike>();
expectTypeOf<{ data: number[]; shape: number[] }>().toExtend<TensorInput>();
expectTypeOf<number[][][]>().toExtend<TensorInput>();
expectTypeOf<Float32Array[]>().toExtend<TensorInput>();
expectTypeOf<string[]>().not.toExtend<TensorInput>();
expectTypeOf<boolean[][]>().toExtend<MaskInput>();
expectTypeOf<boolean[][]>().not.toExtend<TensorInput>();
expectTypeOf<bigint[]>().toExtend<ValidLens>();
expectTypeOf<BigInt64Array>().toExtend<ValidLens>();
expectTypeOf<Int32Array>().toExtend<TokensInput>();
const resident = new ResidentTensor([1, 2, 3]);
expectTypeOf(resident).toExtend<Tensor>();
expectTypeOf(resident.dispose()).toEqualTypeOf<void>();
const nested: TensorInput[] = [X, resident, [[1]], { data: new Float64Array(1), shape: [1] }];

// The layer
const layer = new MultiHeadAttention({ numHiddens: 4, numHeads: 2, pooling: 'dot-product' });
expectTypeOf(layer).toExtend<Trainable>();
expectTypeOf(layer.querySize).toEqualTypeOf<number | undefined>();
expectTypeOf(layer.numHeads).toEqualTypeOf<number>();
expectTypeOf(layer.pooling).toEqualTypeOf<Pooling>();
expectTypeOf(layer.projection).toEqualTypeOf<Projection>();
expectTypeOf(layer.weights).toEqualTypeOf<Precision>();
expectTypeOf(layer.train().eval()).toEqualTypeOf(layer);
for (const each of nested) {
  expectTypeOf(layer.forward(each, each, each).output).toEqualTypeOf<Tensor>();
}
expectTypeOf(layer.backward(X)).toEqualTypeOf<Gradients>();
expectTypeOf(layer.backward).parameter(1).toEqualTypeOf<BackwardOptions | undefined>();
expectTypeOf(layer.gradients()).toEqualTypeOf<StateDict>();
expectTypeOf(layer.stateDict()['W_q.weight']).toEqualTypeOf<Tensor | undefined>();
expectTypeOf(layer.loadStateDict).parameters.toEqualTypeOf<[dict: TensorsByName]>();
expectTypeOf(layer.zeroGradients()).toEqualTypeOf<void>();
expectTypeOf(layer.pruneHeads([1])).toEqualTypeOf<void>();
const cache = layer.createCache({ batchSize: 1, maxLength: 8, precision: 'float32' });
expectTypeOf(cache).toEqualTypeOf<InstanceType<typeof KeyValueCache>>();
expectTypeOf(layer.createCache).parameters.toEqualTypeOf<[options: CacheOptions]>();
expectTypeOf(cache.precision).toEqualTypeOf<CachePrecision>();
expectTypeOf(cache.truncate).parameters.toEqualTypeOf<[length: number]>();
layer.forward(X, null, null, { cache });

// Functions
const perHead = [
  transposeQkv(X, 2),
  transposeOutput(X, 2),
  splitHeads(X, 2),
  positionalEncoding(4, 2),
];
expectTypeOf(perHead).toEqualTypeOf<Tensor[]>();
expectTypeOf(maskedSoftmax(X, [1], { emptyRows: 'uniform' })).toEqualTypeOf<Tensor>();
expectTypeOf(scaledDotProductAttention(X, X, X).output).toEqualTypeOf<Tensor>();
expectTypeOf(additiveAttention(X, X, X, { W_q: X, W_k: X, w_v: X }).output).toEqualTypeOf<Tensor>();
expectTypeOf(patternScores(X)).toEqualTypeOf<PatternScores[]>();
expectTypeOf(inductionScores(X, [1, 2])).toEqualTypeOf<number[]>();
expectTypeOf(keyScores(X, [1, 2])).toEqualTypeOf<number[]>();

// Files
declare const blob: BlobLike;
declare const handle: FileHandleLike;
expectTypeOf(loadNpy).parameter(0).toExtend<ArrayBufferView | ArrayBufferLike>();
expectTypeOf(saveNpy(X)).toEqualTypeOf<OwnBytes>();
expectTypeOf(saveSafetensors({ X }, { made: 'here' })).toEqualTypeOf<OwnBytes>();
expectTypeOf<OwnBytes>().toExtend<Uint8Array>();
expectTypeOf(loadSafetensors(saveSafetensors({ X }))).toEqualTypeOf<Safetensors>();
expectTypeOf(loadSafetensors(blob)).resolves.toEqualTypeOf<SafetensorsFile>();
expectTypeOf(loadSafetensors(handle)).resolves.toEqualTypeOf<SafetensorsFile>();
expectTypeOf(
  loadShardedSafetensors({ weight_map: {} }, () => blob),
).resolves.toEqualTypeOf<SafetensorsFile>();
declare const read: Tensor | IntegerTensor;
expectTypeOf(loadSafetensors(saveNpy(X)).tensors['a']).toEqualTypeOf<typeof read | undefined>();

// Models and training
const model = new AttentionOnlyTransformer({
  vocabularySize: 4,
  maxLength: 4,
  numHiddens: 4,
  numHeads: 2,
});
expectTypeOf(model).toExtend<InstanceType<typeof Transformer>>();
expectTypeOf(Transformer).constructorParameters.toEqualTypeOf<[options: TransformerOptions]>();
expectTypeOf(model.loss([1], [1])).toEqualTypeOf<number>();
expectTypeOf<{ causal: true }>().not.toExtend<TransformerPassOptions>();
expectTypeOf(model.createCache({ batchSize: 1, maxLength: 2 })).toEqualTypeOf<
  InstanceType<typeof ModelCache>
>();
for (const optimizer of [
  new SGD(layer),
  new SGD([layer, model]),
  new Adam(model, { betas: [0.9, 0.99] }),
]) {
  expectTypeOf(optimizer).toExtend<InstanceType<typeof Optimizer>>();
  expectTypeOf(optimizer.step()).toEqualTypeOf<void>();
  optimizer.learningRate = 0.1;
}
expectTypeOf(clipGradientNorm([layer], 1)).toEqualTypeOf<number>();
const tasks = [
  ...[new CopyTask({ numSymbols: 2, length: 4 }), new ReverseTask({ numSymbols: 2, numItems: 4 })],
  ...[
    new SortTask({ numSymbols: 2, numItems: 4 }),
    new InductionTask({ numSymbols: 2, length: 8, minPeriod: 1, maxPeriod: 2 }),
  ],
  new AssociativeRecallTask({ numNames: 2, numValues: 2, numPairs: 1 }),
];
for (const task of tasks) {
  expectTypeOf(task).toExtend<InstanceType<typeof CopyTask>>();
  expectTypeOf(task.batch(1, 2)).toEqualTypeOf<TaskBatch>();
}
// @ts-expect-error there are only the tasks that have names
new Task();
// @ts-expect-error there are only the optimizers that have names
new Optimizer();
expectTypeOf(measureHeadImportance(layer, { batches: [] })).resolves.toEqualTypeOf<number[]>();
expectTypeOf(measureHeadImportance(model, { batches: [] })).resolves.toEqualTypeOf<number[][]>();
expectTypeOf<HeadMeasure>().toEqualTypeOf<'gradient' | 'ablation' | 'confidence' | 'entropy'>();

// Errors
expectTypeOf(new HeadwiseError('load-failed', 'a').code).toEqualTypeOf<ErrorCode>();

// What wraps a call keeps its types.
export const wrapped = <Weights extends boolean>(given: ForwardOptions<Weights>) =>
  layer.forward(X, X, X, given).output;
