/// <reference lib="esnext.disposable" preserve="true" />
import { fail, failOption, show } from '../runtime/errors.js';
import { Handle } from '../runtime/handle.js';
import type { Address } from '../runtime/memory.js';
import { modelsCore } from '../runtime/models-build.js';
import { isObject, number, optional, readOptions } from '../runtime/options.js';
import { core } from '../runtime/wasm.js';
import { checkInUse, readTrainables, sendTrainables, type Trainable } from './trainables.js';

const fromZero = number('a finite number from 0 on');

/**
 * Updates the parameters of layers and models by their gradients, in WebAssembly memory. Trainables without gradients
 * are skipped. Pruning heads also prunes the optimizer's state, such as momenta.
 */
export abstract class Optimizer {
  readonly #trainables: readonly Trainable[];
  readonly #handle: Handle;
  #learningRate: number;

  /** @internal */
  protected constructor(
    trainables: Trainable | readonly Trainable[],
    learningRate: number,
    create: (trainables: Address) => Address,
  ) {
    modelsCore();
    this.#trainables = readTrainables(trainables);
    this.#learningRate = learningRate;
    const address = create(sendTrainables(this.#trainables));
    this.#handle = new Handle('optimizer', this, address, 'deleteOptimizer');
  }

  /** The learning rate of the next step. Set it for learning rate schedules: a finite number of at least 0. */
  get learningRate(): number {
    return this.#learningRate;
  }

  set learningRate(value: number) {
    const optimizer = this.#handle.inUse();
    core().setLearningRate(optimizer, fromZero('learningRate', value));
    this.#learningRate = value;
  }

  /** Whether `dispose` was called. */
  get disposed(): boolean {
    return this.#handle.disposed;
  }

  /**
   * Updates every parameter, which outdates a pending backward.
   *
   * @throws HeadwiseError `invalid-option` if weights have fewer than 32 bits; `disposed`, also if a trainable was
   *   disposed of; `out-of-memory`. Nothing has changed then.
   */
  step(): void {
    const optimizer = this.#handle.inUse();
    checkInUse(this.#trainables);
    core().step(optimizer);
  }

  /**
   * Sets every gradient to 0.
   *
   * @throws HeadwiseError `disposed`
   */
  zeroGradients(): void {
    const optimizer = this.#handle.inUse();
    checkInUse(this.#trainables);
    core().zeroAllGradients(optimizer);
  }

  /**
   * Frees the optimizer's WebAssembly memory. Using the optimizer afterwards is an error; calling `dispose` again does
   * nothing.
   */
  dispose(): void {
    this.#handle.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** With a tag, Vue's `reactive` returns the object itself. Its proxies cannot access private fields. */
  get [Symbol.toStringTag](): string {
    return this.constructor.name;
  }

  /**
   * The address of an optimizer in WebAssembly memory. Fails if one of its trainables was disposed of.
   *
   * @internal
   */
  static addressOf(optimizer: unknown): Address {
    // Checks a private field, because a proxy can fake its class.
    if (!isObject(optimizer) || !(#handle in optimizer)) {
      fail('invalid-type', 'optimizer', 'an SGD or an Adam', show(optimizer));
    }
    const address = optimizer.#handle.inUse();
    checkInUse(optimizer.#trainables);
    return address;
  }
}

export interface SGDOptions {
  /** At least 0, like the other options. Default: 0.001. */
  learningRate?: number | undefined;
  /** Factor of the momentum at each step. Default: 0. */
  momentum?: number | undefined;
  /** L2 penalty: adds weightDecay · parameter to the gradient. Default: 0. */
  weightDecay?: number | undefined;
}

const sgdReaders = {
  learningRate: optional(fromZero, 1e-3),
  momentum: optional(fromZero, 0),
  weightDecay: optional(fromZero, 0),
};

/**
 * Stochastic gradient descent: b ← momentum · b + g + weightDecay · p, p ← p − learningRate · b. Source: PyTorch,
 * `torch.optim.SGD`, without dampening and Nesterov's variant.
 */
export class SGD extends Optimizer {
  /** @throws HeadwiseError `invalid-option`, `unknown-option`, `invalid-type`, `disposed`, `out-of-memory` */
  constructor(trainables: Trainable | readonly Trainable[], options?: SGDOptions) {
    const { learningRate, momentum, weightDecay } = readOptions(options, sgdReaders);
    super(trainables, learningRate, (address) =>
      core().newSgd(address, learningRate, momentum, weightDecay),
    );
  }
}

export interface AdamOptions {
  /** At least 0. Default: 0.001. */
  learningRate?: number | undefined;
  /** Decay rates of the running means of gradients and of their squares; from 0 to below 1. Default: [0.9, 0.999]. */
  betas?: readonly [number, number] | undefined;
  /** Added to the square root in the denominator. At least 0. Default: 1e-8. */
  epsilon?: number | undefined;
  /**
   * Decoupled weight decay (AdamW): each step subtracts learningRate · weightDecay · parameter. At least 0. Default: 0.
   * PyTorch's default for AdamW is 0.01.
   */
  weightDecay?: number | undefined;
}

function readBetas(argument: string, value: unknown): readonly [number, number] {
  const expected = 'two numbers from 0 to below 1';
  if (!Array.isArray(value) || value.length !== 2) {
    failOption(argument, expected, value);
  }
  const [first, second] = value as readonly unknown[];
  const beta = number(expected);
  return [beta(argument, first), beta(argument, second)];
}

const adamReaders = {
  learningRate: optional(fromZero, 1e-3),
  betas: optional(readBetas, [0.9, 0.999] as const),
  epsilon: optional(fromZero, 1e-8),
  weightDecay: optional(fromZero, 0),
};

export const readAdamOptions = (options: AdamOptions | undefined, argument?: string) =>
  readOptions(options, adamReaders, argument);

/**
 * Adam (Kingma and Ba 2015) with the decoupled decay of AdamW (Loshchilov and Hutter 2019). Source: PyTorch,
 * `torch.optim.AdamW`; without weight decay it is `torch.optim.Adam`.
 */
export class Adam extends Optimizer {
  /** @throws HeadwiseError `invalid-option`, `unknown-option`, `invalid-type`, `disposed`, `out-of-memory` */
  constructor(trainables: Trainable | readonly Trainable[], options?: AdamOptions) {
    const { learningRate, betas, epsilon, weightDecay } = readAdamOptions(options);
    super(trainables, learningRate, (address) =>
      core().newAdam(address, learningRate, betas[0], betas[1], epsilon, weightDecay),
    );
  }
}

/**
 * Returns the norm of all gradients together and multiplies them by min(1, maxNorm / (norm + 1e-6)), so that it is at
 * most `maxNorm` afterwards. Source: PyTorch, `torch.nn.utils.clip_grad_norm_`.
 *
 * @throws HeadwiseError `invalid-option`, `disposed`
 */
export function clipGradientNorm(
  trainables: Trainable | readonly Trainable[],
  maxNorm: number,
): number {
  modelsCore();
  const read = readTrainables(trainables);
  const most = fromZero('maxNorm', maxNorm);
  return core().clipGradientNorm(sendTrainables(read), most);
}
