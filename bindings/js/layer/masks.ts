import { maskInputs, maskRules } from 'headwise-records';
import { failOption } from '../runtime/errors.js';
import {
  checkWord,
  ifGiven,
  isIntegerIn,
  largestInteger,
  type Reader,
} from '../runtime/options.js';
import type { Word } from '../runtime/memory.js';
import type { GivenTensor } from '../runtime/records.js';
import { toKeyMask, toWholeNumbers, toMask, type Numbers } from '../tensor/arrays.js';
import { notGiven } from '../tensor/given-tensors.js';
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

/** Mask options, read from the caller's objects. C++ checks their values. */
export interface GivenMasks {
  readonly validLens: Numbers<Float64Array> | undefined;
  readonly mask: Numbers<Uint8Array | Float32Array> | undefined;
  readonly keyMask: Numbers<Uint8Array> | undefined;
  /** The words of all others. The records' types are not part of the package's. */
  readonly rules: readonly Word[];
}

export const maskOptionNames = [
  ...(['validLens', 'mask', 'keyMask', 'causal', 'window', 'emptyRows'] as const),
] as const;

/** Reads an integer or Infinity as an integer of 32 bits. `expected` is what C++ expects of it. */
const integer =
  (expected: string): Reader<number> =>
  (argument, value) =>
    value === Infinity || isIntegerIn(value, -largestInteger)
      ? Math.min(value, largestInteger)
      : failOption(argument, expected, value);

export function readWindow(argument: string, value: unknown): readonly [number, number] {
  const expected = 'two integers from 0 on or Infinity';
  if (!Array.isArray(value) || value.length !== 2) {
    failOption(argument, expected, value);
  }
  const [left, right] = value as readonly unknown[];
  const side = integer(expected);
  return [side(argument, left), side(argument, right)];
}

const noWindow = [largestInteger, largestInteger] as const;
/** The next two are in the order of the C++ enumerations. */
const alignments: readonly unknown[] = [false, true, 'bottom-right'];
const emptyRowsWords = ['zero', 'uniform'] as const;

function readCausal(argument: string, value: unknown): number {
  const place = alignments.indexOf(value);
  return place < 0 ? failOption(argument, "true, false or 'bottom-right'", value) : place;
}

/** Reads all mask options. Afterwards, none of the caller's code runs, so checked sizes stay valid. */
export function readMasks(options: MaskOptions): GivenMasks {
  const causal = ifGiven('causal', options.causal, readCausal) ?? 0;
  const emptyRows = emptyRowsWords.indexOf(
    checkWord('emptyRows', options.emptyRows, emptyRowsWords),
  );
  const validLens = ifGiven('validLens', options.validLens, toWholeNumbers);
  const mask = ifGiven('mask', options.mask, toMask);
  const keyMask = ifGiven('keyMask', options.keyMask, toKeyMask);
  const [windowLeft, windowRight] = ifGiven('window', options.window, readWindow) ?? noWindow;
  const rules = maskRules.pack({ causal, windowLeft, windowRight, emptyRows });
  return { validLens, mask, keyMask, rules };
}

/** The masks' words, with their tensors in working memory. */
export function packMasks(
  masks: GivenMasks,
  validLens: GivenTensor,
  mask: GivenTensor,
  keyMask: GivenTensor,
): readonly Word[] {
  const isAdded = masks.mask?.data instanceof Float32Array;
  return maskInputs.pack({
    validLens,
    allowed: isAdded ? notGiven : mask,
    added: isAdded ? mask : notGiven,
    keyMask,
    rules: masks.rules,
  });
}
