import { failOption } from '../runtime/errors.js';
import { checkWord, ifGiven, isIntegerIn, largestInteger } from '../runtime/options.js';
import { toKeyMask, toWholeNumbers, toMask, type Numbers } from '../tensor/arrays.js';
import type { KeyMaskInput, MaskInput, ValidLens } from '../tensor/inputs.js';

/** Result of a query that may attend to no key. */
export type EmptyRows = 'zero' | 'uniform';

/** Masks of a forward pass or a pooling function. */
export interface MaskOptions {
  /**
   * Which keys each query may attend to: (batch,) or (batch, queries), integers from 0 to the number of keys.
   * Default: all. Source: d2l, `masked_softmax`.
   */
  validLens?: ValidLens | undefined;
  /**
   * Boolean: which keys each query may attend to. Float: added to its scores. Any shape that broadcasts to (batch,
   * heads, queries, keys), or to (batch, queries, keys) for `additiveAttention`. Use rank 4 if the first axis of rank 3
   * could mean samples or heads. Default: none.
   *
   * Boolean masks are booleans or a typed array of integers 0 and 1: true or 1 where a query may attend, as in
   * PyTorch's `scaled_dot_product_attention` and ONNX Attention. (`nn.MultiheadAttention` reads booleans the other way
   * round.) All other numbers are float masks: −∞ masks; NaN and +∞ are errors, and so are floats that are only 0 and
   * 1, unless all are 0.
   */
  mask?: MaskInput | undefined;
  /**
   * Which keys of each sample may be attended to: (batch, keys), or (keys,) for one sample; booleans, or 0 and 1 of any
   * type. It is a tokenizer's `attention_mask`, and the negation of PyTorch's `key_padding_mask`. Keys masked at either
   * end cost no work. Default: all.
   */
  keyMask?: KeyMaskInput | undefined;
  /**
   * Whether a query attends only to keys up to its own position. With `true`, query i is at position (cached keys or
   * `queryOffset`) + i: the top-left alignment of PyTorch and ONNX. With `'bottom-right'`, the last query is at the
   * last key, as in FlashAttention. Default: `false`.
   */
  causal?: boolean | 'bottom-right' | undefined;
  /**
   * Sliding window around each query's position: `[left, right]`, the numbers of keys before and after it, integers of
   * at least 0 or Infinity. With or without `causal`. Default: no limit. Source: FlashAttention, `window_size`.
   */
  window?: readonly [left: number, right: number] | undefined;
  /** Result of a query without a key: zeros, or the mean of all values, as d2l's −1e6 gives. Default: `'zero'`. */
  emptyRows?: EmptyRows | undefined;
}

/** Mask options, read from the caller's objects but not yet checked against the sizes of the pass. */
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

export function checkWindow(value: unknown, argument = 'window'): readonly [number, number] {
  if (value === undefined) {
    return [largestInteger, largestInteger];
  }
  const expected = 'two integers from 0 on or Infinity';
  if (!Array.isArray(value) || value.length !== 2) {
    failOption(argument, expected, value);
  }
  const side = (size: unknown): number => {
    if (size !== Infinity && !isIntegerIn(size, 0)) {
      failOption(argument, expected, size);
    }
    return Math.min(size, largestInteger);
  };
  const [left, right] = value as readonly unknown[];
  return [side(left), side(right)];
}

export function checkEmptyRows(value: unknown): EmptyRows {
  return checkWord('emptyRows', value, ['zero', 'uniform']);
}

function checkCausal(value: unknown): boolean | 'bottom-right' {
  if (value === undefined) {
    return false;
  }
  if (typeof value !== 'boolean' && value !== 'bottom-right') {
    failOption('causal', "true, false or 'bottom-right'", value);
  }
  return value;
}

/** Reads all mask options. Afterwards, none of the caller's code runs, so checked sizes stay valid. */
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
