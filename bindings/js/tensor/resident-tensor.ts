import { failOutOfMemory } from '../runtime/errors.js';
import { Handle } from '../runtime/handle.js';
import { floatsAt, isAbsent } from '../runtime/memory.js';
import { core, enter, enteredCore } from '../runtime/wasm.js';
import { toShape } from './arrays.js';
import { sizeOf } from './shapes.js';
import { Tensor } from './tensor.js';

/**
 * A tensor in WebAssembly memory. Calls read it without a copy and, if it is given as `out`, write to it without a
 * copy. Use it for pipelines of layers and for training. It is accepted wherever a tensor is, but only queries, keys,
 * values, `gradOutput` and `out` avoid the copies. Needs `init`.
 *
 * ```js
 * using X = new ResidentTensor([1, 512, 768]);
 * using Y = new ResidentTensor([1, 512, 768]);
 * X.data.set(numbers);
 * first.forward(X, X, X, { out: { output: Y } });
 * second.forward(Y, Y, Y, { out: { output: X } });
 * ```
 */
export class ResidentTensor extends Tensor {
  /**
   * A view of the numbers, without a copy. It is valid until `dispose`, and until WebAssembly memory grows, which any
   * call may cause. Read `data` again after each call; do not keep the array.
   */
  declare readonly data: Float32Array;
  readonly #handle: Handle;

  /**
   * A tensor of zeros.
   * @param shape the size of each axis, integers of at least 0
   * @throws HeadwiseError `out-of-memory`, `invalid-shape`, `not-initialized`
   */
  constructor(shape: readonly number[]) {
    enter();
    const checked = toShape('shape', shape);
    const count = sizeOf(checked);
    const address = core().newTensor(Math.max(count, 1));
    if (isAbsent(address)) {
      failOutOfMemory();
    }
    super(floatsAt(address, count).fill(0), checked);
    const handle = new Handle('tensor', this, address, 'deleteTensor');
    this.#handle = handle;
    const owner = enteredCore();
    let view: Float32Array | undefined;
    Object.defineProperty(this, 'data', {
      get: () => {
        handle.check();
        const { HEAPF32 } = owner;
        if (view?.buffer !== HEAPF32.buffer) {
          view = HEAPF32.subarray(address / 4, address / 4 + count);
          // While the view is in use, the tensor is not garbage-collected.
          Object.defineProperty(view, 'tensor', { value: this });
        }
        return view;
      },
    });
  }

  /** Frees the memory. Calling `dispose` again does nothing. */
  dispose(): void {
    this.#handle.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
