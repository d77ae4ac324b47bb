import { fail, show, showShape } from '../runtime/errors.js';
import {
  checkInteger,
  checkWord,
  ifGiven,
  isIntegerIn,
  largestInteger,
} from '../runtime/options.js';
import {
  checkAttached,
  checkIntegers,
  toKeyMask,
  toWholeNumbers,
  toMask,
  type Numbers,
} from '../tensor/arrays.js';
import type { KeyMaskInput, MaskInput, ValidLens } from '../tensor/inputs.js';
import { checkOneOf, sizeOf } from '../tensor/shapes.js';

/** What a query gets that may attend to no key at all. */
export type EmptyRows = 'zero' | 'uniform';

/** What a forward pass and the pooling functions can be told about which keys a query sees. */
export interface MaskOptions {
  /**
   * Which keys each query may attend to: (batch,) or (batch, queries), integers from 0 to the number of keys.
   * Default: all. Source: d2l, `masked_softmax`.
   */
  validLens?: ValidLens | undefined;
  /**
   * Of any shape that broadcasts to (batch, heads, queries, keys), or (batch, queries, keys) for `additiveAttention`; of
   * rank 4 where the first axis of rank 3 could be samples or heads. Boolean (booleans, or a typed array of integers 0 and
   * 1): true or 1 means the query may attend, as in PyTorch's `scaled_dot_product_attention` and ONNX;
   * `nn.MultiheadAttention` reads it the other way round. Float (other numbers): added to the scores. −∞ masks; NaN and
   * +∞ are errors, as are numbers that are all 0 or 1 with a 1 among them. Default: none.
   */
  mask?: MaskInput | undefined;
  /**
   * Which keys of each sample may be attended to, (batch, keys), or (keys) of one sample: booleans, or 0 and 1 of any
   * kind. It is a tokenizer's `attention_mask`, and the negation of PyTorch's `key_padding_mask`. Keys masked at either end
   * cost no work. Default: all.
   */
  keyMask?: KeyMaskInput | undefined;
  /**
   * `true`: query i stands at position (cached keys or `queryOffset`) + i and sees keys up to its own position, the
   * top-left alignment of PyTorch and ONNX. `'bottom-right'`: the last query stands at the last key, as in
   * FlashAttention. Default: `false`.
   */
  causal?: boolean | 'bottom-right' | undefined;
  /**
   * `[left, right]`: how many keys before and after its own position a query sees, integers from 0 on or Infinity; with
   * or without `causal`. Default: no limit. Source: FlashAttention, `window_size`.
   */
  window?: readonly [left: number, right: number] | undefined;
  /** What a query without a key gets: zeros, the default, or what d2l's −1e6 gives, every key the same weight. */
  emptyRows?: EmptyRows | undefined;
}

/** Mask options as they were read from the caller's objects, not yet held against the sizes of the pass. */
export interface GivenMasks {
  readonly validLens: Numbers<Float64Array> | undefined;
  readonly mask: Numbers<Uint8Array | Float32Array> | undefined;
  readonly keyMask: Numbers<Uint8Array> | undefined;
  readonly causal: boolean | 'bottom-right';
  readonly window: readonly [number, number];
  readonly uniform: boolean;
}

export const maskOptionNames = [
  ...(['validLens', 'mask', 'keyMask', 'causal', 'window', 'emptyRows'] as const),
] as const;

export interface MaskSizes {
  readonly batch: number;
  readonly numHeads: number;
  readonly numQueries: number;
  readonly numKeys: number;
  readonly numExtraSlots: number;
  /** Keys before the first query's: those of a cache, or `queryOffset`. */
  readonly queryOffset: number;
}

/** Valid lengths as the core takes them. */
export interface CheckedValidLens {
  readonly lengths: Int32Array | undefined;
  /** Numbers from one sample's to the next one's, and from one query's to the next one's. */
  readonly sampleStride: number;
  readonly queryStride: number;
}

/** Numbers from one entry of a mask to the next: by sample, head, query and key. */
type MaskStrides = readonly [number, number, number, number];

/** Masks as the core takes them, without the addresses of their data. */
export interface CheckedMasks {
  readonly sizes: MaskSizes;
  readonly uniform: boolean;
  readonly validLens: CheckedValidLens;
  /** Uint8Array for a boolean mask, Float32Array for one that is added. */
  readonly mask: Uint8Array | Float32Array | undefined;
  readonly maskCount: number;
  readonly maskStrides: MaskStrides;
  readonly keyMask: Uint8Array | undefined;
  readonly causal: boolean;
  readonly firstPosition: number;
  readonly window: readonly [number, number];
}

const noLengths: CheckedValidLens = { lengths: undefined, sampleStride: 0, queryStride: 0 };

/** `numQueries` is undefined where there is one length a sample. */
export function checkValidLens(
  given: Numbers<Float64Array> | undefined,
  batch: number,
  numQueries: number | undefined,
  numKeys: number,
  argument = 'validLens',
): CheckedValidLens {
  if (given === undefined) {
    return noLengths;
  }
  const { data, shape } = given;
  const byQuery = numQueries === undefined ? [] : [[batch, numQueries]];
  checkOneOf(argument, shape, [batch], ...byQuery);
  // They are kept in 32 bits.
  checkIntegers(argument, data, 0, Math.min(numKeys, largestInteger));
  const [, sampleStride = 1] = shape;
  return { lengths: new Int32Array(data), sampleStride, queryStride: shape.length - 1 };
}

/** The mask as 0 and 1, (batch, keys). */
export function checkKeyMask(
  given: Numbers<Uint8Array> | undefined,
  batch: number,
  numKeys: number,
  argument = 'keyMask',
): Uint8Array | undefined {
  if (given === undefined) {
    return undefined;
  }
  const { data, shape } = given;
  const [first, second] = batch === 1 && shape.length === 1 ? [1, ...shape] : shape;
  if (shape.length > 2 || first !== batch || second !== numKeys) {
    const expected = `(batch, keys), here ${showShape([batch, numKeys])}`;
    fail('invalid-shape', argument, expected, showShape(shape));
  }
  return data;
}

function broadcastStrides(shape: readonly number[]): MaskStrides {
  const strides: [number, number, number, number] = [0, 0, 0, 0];
  let stride = 1;
  for (let i = 0; i < shape.length; i++) {
    const size = shape[shape.length - 1 - i] ?? 1;
    strides[3 - i] = size === 1 ? 0 : stride;
    stride *= size;
  }
  return strides;
}

/** Numbers to add are finite or −∞. All of them 0 or 1 are more likely to be a boolean mask. */
function checkAdded(data: Float32Array, count: number): void {
  let [hasOnes, hasOthers] = [false, false];
  for (let i = 0; i < count; i++) {
    const number = data[i];
    if (Number.isNaN(number) || number === Infinity) {
      fail('invalid-value', 'mask', 'numbers below infinity', show(number));
    }
    hasOnes ||= number === 1;
    hasOthers ||= number !== 0 && number !== 1;
  }
  if (hasOnes && !hasOthers) {
    const expected =
      'booleans or an array of integers where 1 means may attend, or numbers to add to scores';
    fail('invalid-value', 'mask', expected, 'numbers that are all 0 or 1');
  }
}

function checkMask(
  given: GivenMasks['mask'],
  target: readonly number[],
): Pick<CheckedMasks, 'mask' | 'maskCount' | 'maskStrides'> {
  if (given === undefined) {
    return { mask: undefined, maskCount: 0, maskStrides: [0, 0, 0, 0] };
  }
  checkAttached('mask', given);
  const { data, shape } = given;
  const start = target.length - shape.length;
  if (start < 0 || !shape.every((size, i) => size === 1 || size === target[start + i])) {
    const ofKeys = [target[0], target.at(-1)];
    const isOfKeys = shape.length === 2 && shape.every((size, i) => size === ofKeys[i]);
    const expected = `a shape that broadcasts to ${showShape(target)}`;
    const orKeys = isOfKeys ? ', or keyMask for (batch, keys)' : '';
    fail('invalid-shape', 'mask', expected + orKeys, showShape(shape));
  }
  const [batch = 0, heads] = target;
  if (target.length === 4 && start === 1 && batch === heads && batch > 1 && shape[0] === batch) {
    const rest = shape.slice(1);
    const bySample = `${showShape([batch, 1, ...rest])} by sample`;
    const expected = `rank 4, ${bySample} or ${showShape([1, heads, ...rest])} by head`;
    fail('invalid-shape', 'mask', expected, showShape(shape));
  }
  const count = sizeOf(shape);
  if (data instanceof Float32Array) {
    checkAdded(data, count);
  }
  const [sample, head, query, key] = broadcastStrides(shape);
  return {
    mask: data,
    maskCount: count,
    // A mask of (batch, queries, keys) has no axis for heads.
    maskStrides: target.length === 3 ? [head, 0, query, key] : [sample, head, query, key],
  };
}

export function checkWindow(value: unknown): readonly [number, number] {
  if (value === undefined) {
    return [largestInteger, largestInteger];
  }
  const expected = 'two integers from 0 on or Infinity';
  if (!Array.isArray(value) || value.length !== 2) {
    fail('invalid-option', 'window', expected, show(value));
  }
  const side = (size: unknown): number => {
    if (size !== Infinity && !isIntegerIn(size, 0)) {
      fail('invalid-option', 'window', expected, show(size));
    }
    return Math.min(size, largestInteger);
  };
  const [left, right] = value as readonly unknown[];
  return [side(left), side(right)];
}

function checkEmptyRows(value: unknown): EmptyRows {
  return checkWord('emptyRows', value, ['zero', 'uniform']);
}

function checkCausal(value: unknown): boolean | 'bottom-right' {
  if (value === undefined) {
    return false;
  }
  if (typeof value !== 'boolean' && value !== 'bottom-right') {
    fail('invalid-option', 'causal', "true, false or 'bottom-right'", show(value));
  }
  return value;
}

/** Reads all mask options, so that no code of the caller's runs any more once the sizes of the pass are checked. */
export function readMasks(options: MaskOptions): GivenMasks {
  return {
    causal: checkCausal(options.causal),
    uniform: checkEmptyRows(options.emptyRows) === 'uniform',
    validLens: ifGiven('validLens', options.validLens, toWholeNumbers),
    mask: ifGiven('mask', options.mask, toMask),
    keyMask: ifGiven('keyMask', options.keyMask, toKeyMask),
    window: checkWindow(options.window),
  };
}

/** Holds the masks against the sizes of the pass. `hasHeadAxis`: whether masks broadcast over heads. */
export function checkMasks(given: GivenMasks, sizes: MaskSizes, hasHeadAxis = true): CheckedMasks {
  const { batch, numHeads, numQueries, numKeys } = sizes;
  const { causal, uniform, window } = given;
  const validLens = checkValidLens(given.validLens, batch, numQueries, numKeys);
  const target = hasHeadAxis
    ? [batch, numHeads, numQueries, numKeys]
    : [batch, numQueries, numKeys];
  const { mask, maskCount, maskStrides } = checkMask(given.mask, target);
  return {
    sizes,
    uniform,
    validLens,
    mask,
    maskCount,
    maskStrides,
    keyMask: checkKeyMask(given.keyMask, batch, numKeys),
    causal: causal !== false,
    firstPosition: causal === 'bottom-right' ? numKeys - numQueries : sizes.queryOffset,
    window,
  };
}

/** Position of the first query among the keys: an integer from 0 on. */
export function checkQueryOffset(value: unknown, causal: unknown): number {
  if (value === undefined) {
    return 0;
  }
  const offset = checkInteger('queryOffset', value, 0);
  if (offset > 0 && causal === 'bottom-right') {
    fail('invalid-option', 'queryOffset', "causal other than 'bottom-right' beside it", 'both');
  }
  return offset;
}
