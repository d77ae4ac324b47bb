import { forwardInputs } from 'headwise-records';
import type { Address } from '../runtime/memory.js';
import { checkBoolean, ifGiven } from '../runtime/options.js';
import { writeRecord } from '../runtime/records.js';
import { commit, core } from '../runtime/wasm.js';
import { inPlace, toFloatList, toFloats, toWholeNumbers, type Numbers } from '../tensor/arrays.js';
import { giveTensors } from '../tensor/given-tensors.js';
import type { TensorInput, ValidLens } from '../tensor/inputs.js';
import type { Tensor } from '../tensor/tensor.js';
import { captureNames, checkCapture, wordsOf, type Captured, type CaptureName } from './capture.js';
import {
  numbersOf,
  readReturnWeights,
  type ChosenWeights,
  type GivenWeights,
} from './chosen-weights.js';
import { KeyValueCache } from './key-value-cache.js';
import { CallResults } from './call-results.js';
import {
  maskOptionNames,
  packMasks,
  readMasks,
  type GivenMasks,
  type MaskOptions,
} from './masks.js';
import {
  checkResultOptions,
  resultOptionNames,
  type CheckedResults,
  type ResultOptions,
} from './results.js';

export interface ForwardOptions<
  Weights extends boolean | ChosenWeights | undefined = boolean | ChosenWeights | undefined,
  KeyMass extends boolean | undefined = boolean | undefined,
  Names extends readonly CaptureName[] | undefined = readonly CaptureName[] | undefined,
>
  extends MaskOptions, Omit<ResultOptions, 'returnWeights'> {
  /** Whether to return the attention weights, or which of them. Default: no, which avoids storing them. */
  returnWeights?: Weights;
  /**
   * Whether to return `keyMass`: each head's weight on each key, summed over the queries, before dropout. Does not
   * store the weights. Default: no.
   */
  keyMass?: KeyMass;
  /** Which intermediate results to return as `captured`. Default: none. */
  capture?: Names;
  /**
   * Multiplies each head's pooled output before W_o: (heads,) or (batch, heads). Default: 1. Source: Michel et al.
   * 2019, the gates ξ_h.
   */
  headGate?: TensorInput | Float32Array | Float64Array | undefined;
  /**
   * KV cache of earlier positions; the given keys and values are appended. "Keys" in `validLens`, `mask`, `keyMask` and
   * `window` then means the cached and the given ones, and query i is at position (cached keys) + i. Default: no cache.
   */
  cache?: KeyValueCache | undefined;
  /**
   * Positions of query i and given key i in a layer with rotary positions: (queries,) or (batch, queries), integers
   * from 0 to 2^31 − 1. Default: query i and given key i are at (cached keys) + i. Masks ignore them.
   */
  positions?: ValidLens | undefined;
  /**
   * Whether to save activations for `backward`: copies of inputs and masks in WebAssembly memory, but not the scores.
   * Not with a cache. Default: no. Source: PyTorch, `requires_grad`.
   */
  requiresGrad?: boolean | undefined;
}

export const forwardOptionNames = [
  ...maskOptionNames,
  ...resultOptionNames,
  'headGate',
  'cache',
  'positions',
  'keyMass',
  'capture',
  'requiresGrad',
] as const;

/** The type of a result: present if requested, optional if the request is known at run time only. */
type IfAsked<Name extends string, Asked, Given> = [Asked] extends [false | undefined]
  ? Partial<Record<Name, undefined>>
  : [Asked] extends [boolean]
    ? boolean extends Asked
      ? Partial<Record<Name, Given | undefined>>
      : Record<Name, Given>
    : [Asked] extends [true | ChosenWeights]
      ? Record<Name, Given>
      : Partial<Record<Name, Given | undefined>>;

/** The captured results, by the requested names if these are known at compile time. */
type IfCaptured<Names> = [Names] extends [undefined]
  ? { captured?: undefined }
  : [Names] extends [readonly CaptureName[]]
    ? number extends Names['length']
      ? { captured?: Captured | undefined }
      : { captured: Record<Names[number], Tensor> }
    : { captured?: Captured | undefined };

/**
 * `output` and, if requested, `attentionWeights` (batch, heads, queries, keys + extra slots), `keyMass` (batch, heads,
 * keys + extra slots) and `captured`.
 */
export type ForwardResult<
  Weights extends boolean | ChosenWeights | undefined = boolean | ChosenWeights | undefined,
  KeyMass extends boolean | undefined = boolean | undefined,
  Names extends readonly CaptureName[] | undefined = readonly CaptureName[] | undefined,
> = { output: Tensor } & IfAsked<'attentionWeights', Weights, Tensor> &
  IfAsked<'keyMass', KeyMass, Tensor> &
  IfCaptured<Names>;

type Floats = Numbers<Float32Array>;

/** The arguments of a pass, read from the caller's objects. C++ checks their values. */
export interface ForwardInputs {
  readonly q: Floats;
  /** Undefined to attend to the cache only. */
  readonly keyValues: readonly [Floats, Floats] | undefined;
  readonly gate: Floats | undefined;
  readonly cache: unknown;
  readonly masks: GivenMasks;
  readonly results: CheckedResults;
  readonly weights: GivenWeights;
  readonly positions: Numbers<Float64Array> | undefined;
  readonly keyMass: boolean;
  readonly capture: ReadonlySet<CaptureName> | undefined;
  readonly requiresGrad: boolean;
}

/** Reads all of the caller's objects. This may run the caller's code, so it must not depend on the layer's state. */
export function readForward(
  queries: unknown,
  keys: unknown,
  values: unknown,
  options: Partial<ForwardOptions>,
): ForwardInputs {
  const { headGate, cache } = options;
  const weights = readReturnWeights(options.returnWeights);
  return {
    q: toFloats('queries', queries, inPlace),
    keyValues:
      keys === null && values === null
        ? undefined
        : [toFloats('keys', keys, inPlace), toFloats('values', values, inPlace)],
    gate: ifGiven('headGate', headGate, toFloatList),
    cache,
    masks: readMasks(options),
    results: checkResultOptions(options, weights !== false),
    weights,
    positions: ifGiven('positions', options.positions, toWholeNumbers),
    keyMass: checkBoolean('keyMass', options.keyMass, false),
    capture: checkCapture(options.capture),
    requiresGrad: checkBoolean('requiresGrad', options.requiresGrad, false),
  };
}

/**
 * One forward pass: writes the inputs to working memory, calls the core and copies the results out.
 *
 * @param follow called once the pass has succeeded
 */
export function runForward(
  layer: Address,
  inputs: ForwardInputs,
  follow: () => void,
): ForwardResult {
  const { q, keyValues, masks, capture } = inputs;
  const lists = typeof inputs.weights === 'boolean' ? undefined : inputs.weights;
  const { record, given, placed } = giveTensors(forwardInputs.words, [
    ['queries', q],
    ['keys', keyValues?.[0]],
    ['values', keyValues?.[1]],
    ['validLens', masks.validLens],
    ['mask', masks.mask],
    ['keyMask', masks.keyMask],
    ['headGate', inputs.gate],
    ['positions', inputs.positions],
    ['heads', numbersOf('returnWeights.heads', lists?.heads)],
    ['queries', numbersOf('returnWeights.queries', lists?.queries, q.shape.at(-2))],
  ]);
  const [queries, keys, values, validLens, mask, keyMask, headGate, positions, ...rows] = given;
  writeRecord(record, forwardInputs, {
    queries,
    keys,
    values,
    masks: packMasks(masks, validLens, mask, keyMask),
    headGate,
    positions,
    requiresGrad: inputs.requiresGrad,
    cache: inputs.cache === undefined ? undefined : KeyValueCache.addressOf(inputs.cache),
    returnWeights: inputs.results.returnWeights,
    weightHeads: rows[0],
    weightQueries: rows[1],
    keyMass: inputs.keyMass,
    weightsStage: inputs.results.stage,
    capture: wordsOf(capture),
  });
  const results = new CallResults(inputs.results.out, placed, q.shape.length !== 2);
  commit(() => {
    core().forward(layer, record);
    follow();
  }, results);
  const result: ForwardResult = results.attention();
  if (inputs.keyMass) {
    result.keyMass = results.tensor(resultOfKeyMass);
  }
  if (capture !== undefined) {
    result.captured = Object.fromEntries(
      captureNames.flatMap((name, i) => {
        const tensor = results.tensor(resultOfKeyMass + 1 + i);
        return tensor ? [[name, tensor]] : [];
      }),
    );
  }
  return result;
}

/** In the C++ enumeration `ResultName`. The captured results follow. */
const resultOfKeyMass = 2;
