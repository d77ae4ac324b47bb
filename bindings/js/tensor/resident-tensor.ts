import { failOutOfMemory } from '../runtime/errors.js';
import { Handle } from '../runtime/handle.js';
import { floatsAt, isAbsent } from '../runtime/memory.js';
import { core, enter, enteredCore } from '../runtime/wasm.js';
import { toShape } from './arrays.js';
import { sizeOf } from './shapes.js';
import { Tensor } from './tensor.js';

/**
 * A tensor in WebAssembly memory: calls read it where it lies and, given as `out`, write it there, without copies. For
 * pipelines of layers and for training. It is taken wherever a tensor is; only queries, keys, values, `gradOutput` and
 * `out` are spared their copies. Needs `init`.
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
   * The numbers where they lie. The array is valid until WebAssembly memory grows, which any call may have it do, and
   * until `dispose`: ask for it anew behind a call, and write to none that was asked for before.
   */
  declare readonly data: Float32Array;
  readonly #handle: Handle;

  /**
   * Zeros.
   * @param shape the size of each axis, integers from 0 on
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
          // Whoever has the numbers keeps their memory.
          Object.defineProperty(view, 'tensor', { value: this });
        }
        return view;
      },
    });
  }

  /** Gives the memory back; again does nothing. */
  dispose(): void {
    this.#handle.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
