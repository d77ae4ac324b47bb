import { fail, show, showShape } from '../runtime/errors.js';
import { addressIn, allocate, floatsAt, type Counted } from '../runtime/memory.js';
import { checkOptions, checkWord } from '../runtime/options.js';
import { kindOf, lengthOf } from '../runtime/typed-arrays.js';
import { fits, sizeOf } from '../tensor/shapes.js';
import { Tensor } from '../tensor/tensor.js';

/** Stages of the attention weights, in the order in which they are computed. */
export type WeightsStage = 'raw' | 'softcap' | 'masked' | 'softmax';

/** Memory to write results to, each as large as its result. The returned tensors use it. */
export interface Out {
  output?: Float32Array | Tensor | undefined;
  attentionWeights?: Float32Array | Tensor | undefined;
}

export interface ResultOptions {
  /** Whether to return the attention weights. Default: no, which avoids storing them. */
  returnWeights?: boolean | undefined;
  /**
   * Which stage of the weights to return: `'raw'` (scaled scores), `'softcap'` (capped scores), `'masked'` (−∞ where
   * masked) or `'softmax'` (the weights, before dropout). The first two include masked keys. Default: `'softmax'`.
   * Source: ONNX Attention, `qk_matmul_output_mode`.
   */
  weightsStage?: WeightsStage | undefined;
  /** Memory to write the results to. Default: newly allocated. */
  out?: Out | undefined;
}

export const resultOptionNames = ['returnWeights', 'weightsStage', 'out'] as const;

/** Options whose type says that attention weights are returned. */
export type WithWeights<Options> = Options & { returnWeights: true };

/** Options whose type says that no attention weights are returned. */
export type WithoutWeights<Options> = Options & { returnWeights?: false | undefined };

/** `Result` with the attention weights if requested; optional if the request is known at run time only. */
export type ResultWithWeights<Result, Attention, Weights extends boolean> = Result &
  (boolean extends Weights
    ? { attentionWeights?: Attention | undefined }
    : Weights extends true
      ? { attentionWeights: Attention }
      : { attentionWeights?: undefined });

/** `output` and, if requested, `attentionWeights` (batch, heads, queries, keys + extra slots). */
export type AttentionResult<Weights extends boolean = boolean> = ResultWithWeights<
  { output: Tensor },
  Tensor,
  Weights
>;

/** The order of `WeightsStage` in the C++ library. */
const stages: readonly [WeightsStage, ...WeightsStage[]] = ['raw', 'softcap', 'masked', 'softmax'];

export interface CheckedResults {
  readonly returnWeights: boolean;
  readonly stage: number;
  readonly out: Targets;
}

/** The caller's memory for a result. */
export interface Target {
  readonly data: Float32Array;
  /** The given tensor and its shape; undefined and [] for a Float32Array. */
  readonly tensor: Tensor | undefined;
  readonly shape: readonly number[];
}

/** The caller's memory for results by their names. */
export type Targets = Readonly<Partial<Record<string, Target>>>;

export function readTarget(argument: string, out: unknown): Target | undefined {
  if (out === undefined) {
    return undefined;
  }
  const tensor = out instanceof Tensor ? out : undefined;
  const data: unknown = tensor === undefined ? out : tensor.data;
  if (kindOf(data) !== 'Float32Array') {
    fail('invalid-type', argument, 'a Float32Array or a Tensor', show(out));
  }
  return { data: data as Float32Array, tensor, shape: tensor?.shape ?? [] };
}

/** Memory for a result, and the tensor to return. */
export interface Result extends Counted {
  readonly tensor: Tensor;
}

/** The result's floats. WebAssembly memory may have grown since the result was made, so its view is created anew. */
export const memoryOf = ({ data, count, address }: Result): Float32Array =>
  address ? floatsAt(address, count) : data;

export function checkResultOptions(
  options: Omit<ResultOptions, 'returnWeights'>,
  returnWeights: boolean,
): CheckedResults {
  const weightsStage =
    options.weightsStage === undefined
      ? 'softmax'
      : checkWord('weightsStage', options.weightsStage, stages);
  const out = checkOptions(options.out, ['output', 'attentionWeights'], 'out');
  return {
    returnWeights,
    stage: stages.indexOf(weightsStage),
    out: {
      output: readTarget('out.output', out.output),
      attentionWeights: readTarget('out.attentionWeights', out.attentionWeights),
    },
  };
}

/** Creates a result in the caller's memory, or in new memory. */
export function resultIn(
  argument: string,
  target: Target | undefined,
  shape: readonly number[],
): Result {
  const count = sizeOf(shape);
  if (target === undefined) {
    const data = allocate(count);
    return { tensor: new Tensor(data, shape), data, count };
  }
  const { data, tensor } = target;
  if (lengthOf(data) !== count) {
    fail(
      'invalid-shape',
      argument,
      `${count} numbers for shape ${showShape(shape)}`,
      `${lengthOf(data)}`,
    );
  }
  const fitting = tensor !== undefined && fits(target.shape, shape) ? tensor : undefined;
  return { tensor: fitting ?? new Tensor(data, shape), data, count, address: addressIn(data) };
}
