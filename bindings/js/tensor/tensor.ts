import { fail, show, showShape } from '../runtime/errors.js';
import { allocate, read, reserve } from '../runtime/memory.js';
import { checkSeed, isIntegerIn } from '../runtime/options.js';
import { core } from '../runtime/wasm.js';
import { toShape, toTensorData } from './arrays.js';
import { sizeOf } from './shapes.js';

/** Numbers nested as deep as a tensor has axes. */
export type NestedArray = number | NestedArray[];

/**
 * Float32 numbers with a shape, row-major, in plain JavaScript memory: nothing to free.
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
   * @param data as many numbers as the shape holds. A Float32Array is used as it is, other typed arrays and arrays
   *   of numbers are converted.
   * @param shape the size of each axis, integers from 0 on
   */
  constructor(data: Float32Array | ArrayLike<number>, shape: readonly number[]) {
    const numbers = toTensorData(data, shape);
    this.data = numbers.data;
    this.shape = Object.freeze(numbers.shape);
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
   * Standard normal numbers, the same for the same seed in every build of headwise. Needs `init`.
   * @param seed an integer from 0 to 2^53 − 1; drawn at random when left out
   */
  static randn(shape: readonly number[], seed?: number): Tensor {
    const loaded = core();
    const checkedSeed = checkSeed(seed);
    const tensor = Tensor.zeros(shape);
    const { data } = tensor;
    const [numbers] = reserve(data.length);
    loaded.fillNormal(numbers, data.length, checkedSeed);
    read(numbers, data);
    return tensor;
  }

  /** The number at an index, one integer an axis. */
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

  /** The numbers as nested arrays; a tensor without axes gives its number. */
  toArray(): NestedArray {
    const { data, shape } = this;
    let offset = 0;
    const nest = (axis: number): NestedArray =>
      axis === shape.length
        ? (data[offset++] ?? NaN)
        : Array.from({ length: shape[axis] ?? 0 }, () => nest(axis + 1));
    return nest(0);
  }
}
