import { fail, show, showShape } from '../runtime/errors.js';
import {
  addressIn,
  allocate,
  floatsAt,
  isApart,
  read,
  type Address,
  type Counted,
} from '../runtime/memory.js';
import { checkOptions, checkWord } from '../runtime/options.js';
import { kindOf, lengthOf } from '../runtime/typed-arrays.js';
import { fits, sizeOf } from '../tensor/shapes.js';
import { Tensor } from '../tensor/tensor.js';

/** Which state of the attention weights is returned, in the order in which they come about. */
export type WeightsStage = 'raw' | 'softcap' | 'masked' | 'softmax';

/** Memory of the right size that results are written to, and returned in. */
export interface Out {
  output?: Float32Array | Tensor | undefined;
  attentionWeights?: Float32Array | Tensor | undefined;
}

export interface ResultOptions {
  /** Whether to return the attention weights. Default: no, and then they are never stored. */
  returnWeights?: boolean | undefined;
  /**
   * `'raw'` (scaled scores) and `'softcap'` at every key, masked or not; `'masked'`, −∞ where masked; `'softmax'`, the
   * default: the weights, before dropout. Source: ONNX Attention, `qk_matmul_output_mode`.
   */
  weightsStage?: WeightsStage | undefined;
  /** Memory to write the results to. Default: new. */
  out?: Out | undefined;
}

export const resultOptionNames = ['returnWeights', 'weightsStage', 'out'] as const;

/** Options that ask for attention weights where the call is written. */
export type WithWeights<Options> = Options & { returnWeights: true };

/** Options that ask for none. */
export type WithoutWeights<Options> = Options & { returnWeights?: false | undefined };

/** `Result` with the attention weights if they were asked for, and perhaps if that is not known. */
export type ResultWithWeights<Result, Attention, Weights extends boolean> = Result &
  (boolean extends Weights
    ? { attentionWeights?: Attention | undefined }
    : Weights extends true
      ? { attentionWeights: Attention }
      : { attentionWeights?: undefined });

/**
 * What the queries pooled and, if `returnWeights` asked for them, the attention weights (batch, heads, queries, keys and
 * extra slots).
 */
export type AttentionResult<Weights extends boolean = boolean> = ResultWithWeights<
  { output: Tensor },
  Tensor,
  Weights
>;

/** As in `WeightsStage` of the C++ library. */
const stages: readonly [WeightsStage, ...WeightsStage[]] = ['raw', 'softcap', 'masked', 'softmax'];

export interface CheckedResults {
  readonly returnWeights: boolean;
  readonly stage: number;
  readonly out: { readonly [Name in keyof Out]?: Target | undefined };
}

/** The caller's memory for a result, as it was read. */
export interface Target {
  readonly data: Float32Array;
  /** The tensor that was given, and its shape. */
  readonly tensor: Tensor | undefined;
  readonly shape: readonly number[];
}

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

/** Where a result is to be written, and what is returned. */
export interface Result extends Counted {
  readonly tensor: Tensor;
}

/** The memory of a result, which may have grown since, if it is WebAssembly memory. */
export const memoryOf = ({ data, count, address }: Result): Float32Array =>
  address ? floatsAt(address, count) : data;

/**
 * Where a call may write a result at once, if that is in WebAssembly memory and none of what it reads lies there; and the
 * floats of working memory that it else takes.
 */
export function placeOf(
  result: Result | undefined,
  inputs: readonly Counted[],
): readonly [Address | undefined, number] {
  if (result === undefined) {
    return [undefined, 0];
  }
  const { address, count } = result;
  return address && isApart(address, count, inputs) ? [address, 0] : [undefined, count];
}

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

/** A result in the caller's memory, or in new memory. */
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

/** Where a call's results are to be written. */
export interface Results {
  readonly output: Result;
  /** If they were asked for. */
  readonly weights: Result | undefined;
}

export function resultsIn(
  { out, returnWeights }: CheckedResults,
  outputShape: readonly number[],
  weightsShape: readonly number[],
): Results {
  return {
    output: resultIn('out.output', out.output, outputShape),
    weights: returnWeights
      ? resultIn('out.attentionWeights', out.attentionWeights, weightsShape)
      : undefined,
  };
}

/** Copies a result to where it is wanted, if it is elsewhere. */
export function readResult(result: Result, address: Address | undefined): Tensor {
  if (address !== undefined && address !== result.address) {
    read(address, memoryOf(result), result.count);
  }
  return result.tensor;
}

/** Copies results to where they are wanted. */
export function readResults(
  { output, weights }: Results,
  outputAt: Address,
  weightsAt: Address,
): AttentionResult {
  const result: AttentionResult = { output: readResult(output, outputAt) };
  if (weights !== undefined) {
    result.attentionWeights = readResult(weights, weightsAt);
  }
  return result;
}
