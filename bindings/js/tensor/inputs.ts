/** Typed arrays of numbers. */
export type NumericArray =
  | Float32Array
  | Float64Array
  | Int8Array
  | Int16Array
  | Int32Array
  | Uint8Array
  | Uint8ClampedArray
  | Uint16Array
  | Uint32Array;

export type NestedNumbers = readonly number[] | readonly NumericArray[] | readonly NestedNumbers[];

/** Numbers with a shape: a headwise tensor, or one of another library (ONNX Runtime calls the shape `dims`). */
export type TensorLike<Data = NumericArray | readonly number[]> =
  | { readonly data: Data; readonly shape: readonly number[] }
  | { readonly data: Data; readonly dims: readonly number[] };

/**
 * A function's input: a `Tensor`, any `{ data, shape }` or `{ data, dims }`, or nested arrays of numbers. A
 * Float32Array is used without a copy; other numbers are converted. Functions neither change nor keep their inputs. The
 * type accepts every tensor of a file, but 64-bit integers throw when the call is made.
 */
export type TensorInput =
  TensorLike | TensorLike<NumericArray | BigInt64Array | BigUint64Array> | NestedNumbers;

export type NestedBooleans = readonly boolean[] | readonly NestedBooleans[];

/** A mask: boolean (booleans, or a typed array of integers 0 and 1), or float (numbers that are added to scores). */
export type MaskInput =
  | TensorInput
  | TensorLike<readonly boolean[] | BigInt64Array | BigUint64Array>
  | NestedBooleans
  | readonly (BigInt64Array | BigUint64Array)[];

/**
 * How many keys, counted from the first, may be attended to: (batch,) for all queries of a sample or (batch, queries)
 * for each query. Integers from 0 to the number of keys, as numbers or BigInts. Source: d2l, `masked_softmax`.
 */
export type ValidLens =
  | readonly number[]
  | readonly bigint[]
  | readonly (readonly number[] | readonly bigint[])[]
  | NumericArray
  | BigInt64Array
  | BigUint64Array
  | TensorLike<
      NumericArray | BigInt64Array | BigUint64Array | readonly number[] | readonly bigint[]
    >;

/**
 * Which keys of each sample may be attended to: (batch, keys), or (keys,) of one sample; booleans, or 0 and 1 as
 * numbers or BigInts of any type. A typed array without a shape is (keys,).
 */
export type KeyMaskInput = MaskInput | ValidLens;

/**
 * Tokens as numbers or BigInts: (batch, length), or (length,) of one sequence. Nested arrays, an integer array with a
 * shape, or an integer array alone, which is one sequence.
 */
export type TokensInput = ValidLens;
