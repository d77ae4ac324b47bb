import { checkAttached, sizeOf, toMask, type MaskInput, type Numbers } from './arrays.js';
import { core, write, writeBytes, writeIntegers } from './core.js';
import { fail, show, showShape } from './errors.js';
import { checkEmptyRows, type EmptyRows } from './options.js';
import {
  checkValidLens,
  readValidLens,
  type CheckedValidLens,
  type ValidLens,
} from './valid-lens.js';

/** What a forward pass and the pooling functions can be told about which keys a query sees. */
export interface MaskOptions {
  /**
   * Which keys each query may attend to: (batch,) or (batch, queries), integers from 0 to the number of keys.
   * Default: all. Source: d2l, `masked_softmax`.
   */
  validLens?: ValidLens | undefined;
  /**
   * Of any shape that broadcasts to (batch, heads, queries, keys), or (batch, queries, keys) for `additiveAttention`.
   * Boolean (booleans or a Uint8Array): true or 1 means the query may attend, as in PyTorch's
   * `scaled_dot_product_attention` and ONNX; `nn.MultiheadAttention` reads it the other way round. Float: added to the
   * scores; −∞ masks, NaN and +∞ are errors. Default: none.
   */
  mask?: MaskInput | undefined;
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
  readonly causal: boolean | 'bottom-right';
  readonly window: readonly [number, number];
  readonly uniform: boolean;
}

export const maskOptionNames = ['validLens', 'mask', 'causal', 'window', 'emptyRows'] as const;

export interface MaskSizes {
  readonly batch: number;
  readonly numHeads: number;
  readonly numQueries: number;
  readonly numKeys: number;
  readonly numExtraSlots: number;
  /** Keys before the first query's: those of a cache, or `queryOffset`. */
  readonly queryOffset: number;
}

/** Masks as the core takes them, without the addresses of their data. */
export interface CheckedMasks {
  readonly sizes: MaskSizes;
  readonly uniform: boolean;
  readonly validLens: CheckedValidLens;
  /** Uint8Array for a boolean mask, Float32Array for one that is added. */
  readonly mask: Uint8Array | Float32Array | undefined;
  readonly maskCount: number;
  readonly maskStrides: readonly number[];
  readonly causal: boolean;
  readonly firstPosition: number;
  readonly window: readonly [number, number];
}

const unlimited = 2147483647;

function broadcastStrides(shape: readonly number[]): number[] {
  const strides = [0, 0, 0, 0];
  let stride = 1;
  for (let i = 0; i < shape.length; i++) {
    const size = shape[shape.length - 1 - i] ?? 1;
    strides[3 - i] = size === 1 ? 0 : stride;
    stride *= size;
  }
  return strides;
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
    const expected = `a shape that broadcasts to ${showShape(target)}`;
    fail('invalid-shape', 'mask', expected, showShape(shape));
  }
  const count = sizeOf(shape);
  if (data instanceof Float32Array) {
    for (let i = 0; i < count; i++) {
      const number = data[i];
      if (Number.isNaN(number) || number === Infinity) {
        fail('invalid-value', 'mask', 'numbers below infinity', show(number));
      }
    }
  }
  const strides = broadcastStrides(shape);
  if (target.length === 3) {
    // A mask of (batch, queries, keys) has no axis for heads.
    strides[0] = strides[1] ?? 0;
    strides[1] = 0;
  }
  return { mask: data, maskCount: count, maskStrides: strides };
}

export function checkWindow(value: unknown): readonly [number, number] {
  if (value === undefined) {
    return [unlimited, unlimited];
  }
  const expected = 'two integers from 0 on or Infinity';
  if (!Array.isArray(value) || value.length !== 2) {
    fail('invalid-option', 'window', expected, show(value));
  }
  const side = (size: unknown): number => {
    if (size !== Infinity && (!Number.isSafeInteger(size) || (size as number) < 0)) {
      fail('invalid-option', 'window', expected, show(size));
    }
    return Math.min(size as number, unlimited);
  };
  const [left, right] = value as readonly unknown[];
  return [side(left), side(right)];
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
  const { validLens, mask } = options;
  return {
    causal: checkCausal(options.causal),
    uniform: checkEmptyRows(options.emptyRows) === 'uniform',
    validLens: validLens === undefined ? undefined : readValidLens(validLens),
    mask: mask === undefined ? undefined : toMask('mask', mask),
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
    causal: causal !== false,
    firstPosition: causal === 'bottom-right' ? numKeys - numQueries : sizes.queryOffset,
    window,
  };
}

/** Floats of working memory that the data of the masks takes: lengths, then the mask. */
export function maskDataSizes({ validLens, mask, maskCount }: CheckedMasks): [number, number] {
  return [
    validLens.lengths.length,
    mask instanceof Uint8Array ? Math.ceil(maskCount / 4) : maskCount,
  ];
}

/** Writes the data of the masks to places of the sizes above. */
export function writeMasks(masks: CheckedMasks, lens: number, mask: number): void {
  writeIntegers(core(), lens, masks.validLens.lengths);
  if (masks.mask instanceof Uint8Array) {
    writeBytes(core(), mask, masks.mask);
  } else if (masks.mask !== undefined) {
    write(core(), mask, masks.mask, masks.maskCount);
  }
}

/** The numbers that `read_mask` in mask_record.cpp reads, in its order. */
export function maskRecord(masks: CheckedMasks, validLens: number, mask: number): number[] {
  const { sizes, window } = masks;
  const { rank } = masks.validLens;
  return [
    sizes.batch,
    sizes.numQueries,
    sizes.numKeys,
    sizes.numExtraSlots,
    Number(masks.uniform),
    rank === 0 ? 0 : validLens,
    rank === 2 ? sizes.numQueries : 1,
    rank === 2 ? 1 : 0,
    Number(masks.causal),
    masks.firstPosition,
    window[0],
    window[1],
    masks.mask instanceof Uint8Array ? mask : 0,
    masks.mask instanceof Float32Array ? mask : 0,
    ...masks.maskStrides,
  ];
}

export const maskRecordSize = 18;

/** Position of the first query among the keys: an integer from 0 on. */
export function checkQueryOffset(value: unknown, causal: unknown): number {
  if (value === undefined) {
    return 0;
  }
  if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > unlimited) {
    fail('invalid-option', 'queryOffset', 'an integer from 0 to 2147483647', show(value));
  }
  if ((value as number) > 0 && causal === 'bottom-right') {
    fail('invalid-option', 'queryOffset', "causal other than 'bottom-right' beside it", 'both');
  }
  return value as number;
}
