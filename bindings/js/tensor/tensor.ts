import { fail, show, showShape } from '../runtime/errors.js';
import { allocate, read, reserve } from '../runtime/memory.js';
import { checkSeed, isIntegerIn, isObject } from '../runtime/options.js';
import { newestCore } from '../runtime/wasm.js';
import { toFloats, toShape, toTensorData } from './arrays.js';
import type { TensorInput } from './inputs.js';
import { checkShape, sizeOf } from './shapes.js';

/** Nested arrays with one level for each axis of a tensor. */
export type NestedArray = number | NestedArray[];

/** A tensor in JSON. NaN and infinities become strings, because JSON has no such numbers. */
export interface TensorJSON {
  shape: number[];
  data: (number | 'NaN' | 'Infinity' | '-Infinity')[];
}

/** A part of one axis: an index, which removes the axis, or [begin, end). Negative numbers count from the end. */
export type Slice = number | readonly [begin?: number, end?: number] | undefined;

/** How many numbers of a tensor `toString` prints in full. */
const printed = 6;

const named: ReadonlyMap<unknown, number> = new Map(
  [NaN, Infinity, -Infinity].map((number) => [String(number), number]),
);

/** Converts the strings of `TensorJSON` back to numbers. */
function withoutNames(input: unknown): unknown {
  if (!isObject(input) || !('data' in input) || !Array.isArray(input.data)) {
    return input;
  }
  const { data } = input;
  return { ...input, data: data.map((element: unknown) => named.get(element) ?? element) };
}

function indexRange(index: number, size: number): [number, number] {
  const from = index < 0 ? index + size : index;
  if (!isIntegerIn(from, 0, size - 1)) {
    fail('invalid-value', 'slice', `an index into an axis of ${size}`, String(index));
  }
  return [from, from + 1];
}

/** As in `Array.prototype.slice`, indices beyond an end are clamped to it. */
function range(part: unknown, size: number): [number, number] {
  if (!Array.isArray(part) || part.length > 2) {
    fail('invalid-type', 'slice', 'an index or [begin, end]', show(part));
  }
  const [begin, end] = [part[0] ?? 0, part[1] ?? size].map((bound: unknown) => {
    if (!isIntegerIn(bound, -Number.MAX_SAFE_INTEGER)) {
      fail('invalid-value', 'slice', 'integers', show(bound));
    }
    return Math.min(Math.max(bound < 0 ? bound + size : bound, 0), size);
  }) as [number, number];
  return [begin, Math.max(begin, end)];
}

/**
 * Float32 numbers with a shape: row-major, in plain JavaScript memory, so there is nothing to free.
 *
 * ```js
 * const X = new Tensor([1, 2, 3, 4, 5, 6], [2, 3]);
 * X.at(1, 2); // 6
 * ```
 */
export class Tensor {
  /** The numbers, row-major. */
  readonly data: Float32Array;
  /** The size of each axis. */
  readonly shape: readonly number[];

  /**
   * @param data as many numbers as the shape has. A Float32Array is used without a copy; other typed arrays and arrays
   *   of numbers are converted.
   * @param shape the size of each axis, integers of at least 0
   */
  constructor(data: Float32Array | ArrayLike<number>, shape: readonly number[]) {
    const numbers = toTensorData(data, shape);
    this.data = numbers.data;
    this.shape = Object.freeze(numbers.shape);
  }

  /**
   * Copies any tensor input: nested arrays, another library's tensor, a tensor received by `postMessage`, or a tensor
   * parsed from JSON.
   * @throws HeadwiseError `invalid-type`, `invalid-shape`
   */
  static from(input: TensorInput | TensorJSON): Tensor {
    const { data, shape } = toFloats('input', withoutNames(input));
    return new Tensor(data.slice(), shape);
  }

  static zeros(shape: readonly number[]): Tensor {
    const checked = toShape('shape', shape);
    return new Tensor(allocate(sizeOf(checked)), checked);
  }

  static ones(shape: readonly number[]): Tensor {
    return Tensor.full(shape, 1);
  }

  static full(shape: readonly number[], value: number): Tensor {
    if (typeof value !== 'number') {
      fail('invalid-type', 'value', 'a number', show(value));
    }
    const tensor = Tensor.zeros(shape);
    tensor.data.fill(value);
    return tensor;
  }

  /**
   * A tensor of standard normal numbers, the same for the same seed in every build and in C++. Needs `init`.
   * @param seed an integer from 0 to 2^53 − 1. Default: a random one.
   */
  static randn(shape: readonly number[], seed?: number): Tensor {
    const loaded = newestCore();
    const checkedSeed = checkSeed(seed);
    const tensor = Tensor.zeros(shape);
    const { data } = tensor;
    const [numbers] = reserve(data.length);
    loaded.fillNormal(numbers, data.length, checkedSeed);
    read(numbers, data);
    return tensor;
  }

  /** The number at an index: one integer for each axis. */
  at(...index: number[]): number {
    const { shape } = this;
    if (index.length !== shape.length) {
      fail('invalid-shape', 'index', `${shape.length} integers`, String(index.length));
    }
    const offset = index.reduce((sum, i, axis) => {
      const size = shape[axis] ?? 0;
      if (!isIntegerIn(i, 0, size - 1)) {
        fail('invalid-value', 'index', `an index into ${showShape(shape)}`, showShape(index));
      }
      return sum * size + i;
    }, 0);
    return this.data[offset] ?? NaN;
  }

  /** The numbers as nested arrays; one number if the tensor has no axes. */
  toArray(): NestedArray {
    const { data, shape } = this;
    let offset = 0;
    const nest = (axis: number): NestedArray =>
      axis === shape.length
        ? (data[offset++] ?? NaN)
        : Array.from({ length: shape[axis] ?? 0 }, () => nest(axis + 1));
    return nest(0);
  }

  /**
   * A tensor of another shape that shares the numbers.
   * @param shape of as many numbers. One axis may be −1: its size is inferred. Source: PyTorch, `Tensor.view`.
   * @throws HeadwiseError `invalid-shape`
   */
  reshape(shape: readonly number[]): Tensor {
    const { data } = this;
    const inferred = Array.isArray(shape) ? shape.indexOf(-1) : -1;
    const others = inferred < 0 ? shape : shape.filter((_, axis) => axis !== inferred);
    const checked = toShape('shape', others);
    const size = inferred < 0 ? 1 : data.length / sizeOf(checked);
    if (sizeOf(checked) * size !== data.length || !isIntegerIn(size, 0)) {
      fail('invalid-shape', 'shape', `one of ${data.length} numbers`, showShape(shape));
    }
    return new Tensor(
      data,
      inferred < 0 ? checked : [...checked.slice(0, inferred), size, ...checked.slice(inferred)],
    );
  }

  /**
   * Copies a part: an index or a range for each axis, from the first. Axes without an index or range stay whole.
   *
   * ```js
   * attentionWeights.slice(0, 2); // (queries, keys) of sample 0 and head 2
   * X.slice([], [1, 3]); // positions 1 and 2 of all samples
   * ```
   * Source: NumPy's basic slicing, `X[0, 2]` and `X[:, 1:3]`.
   * @throws HeadwiseError `invalid-shape` for more parts than axes, `invalid-value` for an index out of range
   */
  slice(...parts: readonly Slice[]): Tensor {
    const { data, shape } = this;
    if (parts.length > shape.length) {
      fail('invalid-shape', 'slice', `at most ${shape.length} parts`, String(parts.length));
    }
    let [numbers, kept]: [Float32Array, number[]] = [data, []];
    // Slices one axis at a time. A row is everything after that axis.
    shape.forEach((size, axis) => {
      const part = parts[axis] ?? [];
      const [begin, end] = typeof part === 'number' ? indexRange(part, size) : range(part, size);
      const row = sizeOf(shape.slice(axis + 1));
      const outer = sizeOf(kept);
      const taken = allocate(outer * (end - begin) * row);
      for (let i = 0; i < outer; i++) {
        const first = i * size * row;
        taken.set(
          numbers.subarray(first + begin * row, first + end * row),
          i * (end - begin) * row,
        );
      }
      numbers = taken;
      kept = typeof part === 'number' ? kept : [...kept, end - begin];
    });
    return new Tensor(numbers, kept);
  }

  /**
   * Whether every number differs from that of `other` by at most `atol` + `rtol` · |other|. False if either has a NaN.
   * Source: PyTorch, `torch.allclose`.
   * @param other of the same shape
   * @throws HeadwiseError `invalid-shape`, `invalid-type`
   */
  allClose(other: TensorInput, rtol = 1e-5, atol = 1e-8): boolean {
    const { data, shape } = toFloats('other', other);
    checkShape('other', shape, this.shape);
    return this.data.every((x, i) => {
      const distance = Math.abs(x - data[i]);
      // Without the check of `distance`, infinities in `other` would be close to everything, because rtol · ∞ is
      // infinite.
      return x === data[i] || (distance < Infinity && distance <= atol + rtol * Math.abs(data[i]));
    });
  }

  /**
   * Adds elementwise and returns a new tensor.
   * @param other a number, or a tensor with this tensor's shape or its last axes, such as a bias
   * @throws HeadwiseError `invalid-shape`, `invalid-type`
   */
  add(other: TensorInput | number): Tensor {
    return combine(this, other, (x, y) => x + y);
  }

  /** Multiplies elementwise and returns a new tensor. `other` and errors are those of `add`. */
  mul(other: TensorInput | number): Tensor {
    return combine(this, other, (x, y) => x * y);
  }

  /**
   * Multiplies matrices and returns a new tensor (…, n, m). Source: PyTorch, `torch.matmul`.
   * @param other (k, m), if this tensor is (…, n, k)
   * @throws HeadwiseError `invalid-shape`, `invalid-type`
   */
  matmul(other: TensorInput): Tensor {
    const { data: left, shape: axes } = this;
    if (axes.length === 0) {
      fail('invalid-shape', 'matmul', 'at least one axis', '()');
    }
    const { data, shape } = toFloats('other', other);
    const [inner, columns] = checkShape('other', shape, [axes.at(-1) ?? NaN, 'columns']);
    const product = Tensor.zeros([...axes.slice(0, -1), columns]);
    for (let i = 0; i < product.data.length; i++) {
      const row = Math.floor(i / columns) * inner;
      let sum = 0;
      for (let j = 0; j < inner; j++) {
        sum += left[row + j] * data[j * columns + (i % columns)];
      }
      product.data[i] = sum;
    }
    return product;
  }

  /** The shape, and the first and last numbers: `Tensor (2, 3) [1, 2, 3, 4, 5, 6]`. */
  toString(): string {
    const { data, shape } = this;
    const short = (numbers: Float32Array): string[] =>
      Array.from(numbers, (number) => String(Number(number.toPrecision(4))));
    const half = printed / 2;
    const texts =
      data.length <= printed
        ? short(data)
        : [...short(data.subarray(0, half)), '…', ...short(data.subarray(-half))];
    return `Tensor ${showShape(shape)} [${texts.join(', ')}]`;
  }

  /** The tensor in JSON, for `JSON.stringify`. `Tensor.from(JSON.parse(…))` restores it. */
  toJSON(): TensorJSON {
    return {
      shape: [...this.shape],
      data: Array.from(this.data, (number) =>
        Number.isFinite(number) ? number : (String(number) as 'NaN'),
      ),
    };
  }

  /** With a tag, Vue's `reactive` returns the object itself. A `ResidentTensor` does not work through its proxies. */
  get [Symbol.toStringTag](): string {
    return this.constructor.name;
  }

  /** The text that Node's `console.log` prints. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}

/** Applies an operation elementwise. The second argument has the first's shape or its last axes. */
function combine(
  { data, shape }: Tensor,
  other: TensorInput | number,
  operation: (x: number, y: number) => number,
): Tensor {
  const second =
    typeof other === 'number' ? { data: [other], shape: [] } : toFloats('other', other);
  const { length } = second.shape;
  checkShape(
    'other',
    second.shape,
    length > shape.length ? shape : shape.slice(shape.length - length),
  );
  const period = second.data.length;
  return new Tensor(
    data.map((x, i) => operation(x, second.data[i % period])),
    shape,
  );
}
