/// <reference lib="esnext.disposable" preserve="true" />
import { fail, show } from '../runtime/errors.js';
import { Handle } from '../runtime/handle.js';
import type { Address } from '../runtime/memory.js';
import { modelsCore } from '../runtime/models-build.js';
import { checkNonNegative, checkOptions, isObject } from '../runtime/options.js';
import { core } from '../runtime/wasm.js';
import {
  checkCanBeTrained,
  checkInUse,
  checkTrainables,
  sendTrainables,
  type Trainable,
} from './trainables.js';

/** Each of them is a finite number from 0 on. */
function checkAtLeast0(numbers: Readonly<Record<string, unknown>>): void {
  for (const [argument, value] of Object.entries(numbers)) {
    checkNonNegative(argument, value);
  }
}

/**
 * Changes the parameters of one or more layers and models by their gradients, in WebAssembly memory. What it keeps
 * beside a parameter follows when heads are pruned. What has no gradients yet is left alone.
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
    this.#trainables = checkTrainables(trainables);
    this.#learningRate = learningRate;
    const address = create(sendTrainables(this.#trainables));
    this.#handle = new Handle('optimizer', this, address, 'deleteOptimizer');
  }

  /** The learning rate of the next step, which schedules may change: a finite number from 0 on. */
  get learningRate(): number {
    return this.#learningRate;
  }

  set learningRate(value: number) {
    const optimizer = this.#handle.inUse();
    checkAtLeast0({ learningRate: value });
    core().setLearningRate(optimizer, value);
    this.#learningRate = value;
  }

  /** Whether `dispose` was called. */
  get disposed(): boolean {
    return this.#handle.disposed;
  }

  /**
   * Changes every parameter once. A backward that was pending is then outdated.
   *
   * @throws HeadwiseError `disposed`, for what it trains as well, `out-of-memory`; nothing was changed
   */
  step(): void {
    const optimizer = this.#handle.inUse();
    checkInUse(this.#trainables);
    checkCanBeTrained(this.#trainables);
    core().step(optimizer);
  }

  /**
   * Makes every gradient 0.
   *
   * @throws HeadwiseError `disposed`
   */
  zeroGradients(): void {
    const optimizer = this.#handle.inUse();
    checkInUse(this.#trainables);
    core().zeroAllGradients(optimizer);
  }

  /** Gives the optimizer's WebAssembly memory back. Using it afterwards is an error; disposing again is not. */
  dispose(): void {
    this.#handle.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** Vue's `reactive` leaves objects with a tag alone; private fields do not work through its proxies. */
  get [Symbol.toStringTag](): string {
    return this.constructor.name;
  }

  /**
   * Checks that it trains nothing but this model, given with its layers, and returns the optimizer's address in
   * WebAssembly memory.
   *
   * @internal
   */
  static addressOf(optimizer: unknown, model: ReadonlySet<Trainable>): Address {
    // Not by its class, of which a proxy may say anything.
    if (!isObject(optimizer) || !(#handle in optimizer)) {
      fail('invalid-type', 'optimizer', 'an SGD or an Adam', show(optimizer));
    }
    const address = optimizer.#handle.inUse();
    checkInUse(optimizer.#trainables);
    if (!optimizer.#trainables.every((trainable) => model.has(trainable))) {
      const expected = 'one that trains this model or layers of it alone';
      fail('invalid-option', 'optimizer', expected, 'one that trains others');
    }
    checkCanBeTrained(optimizer.#trainables);
    return address;
  }
}

export interface SGDOptions {
  /** At least 0, as are the others. Default: 0.001. */
  learningRate?: number | undefined;
  /** What is kept of the sum of gradients at each step. Default: 0. */
  momentum?: number | undefined;
  /** How much of the parameter is added to its gradient: an L2 penalty. Default: 0. */
  weightDecay?: number | undefined;
}

/**
 * Stochastic gradient descent: b ← momentum · b + g + weightDecay · p, p ← p − learningRate · b. Source: PyTorch,
 * `torch.optim.SGD`, without dampening and Nesterov's variant.
 */
export class SGD extends Optimizer {
  /** @throws HeadwiseError `invalid-option`, `unknown-option`, `invalid-type`, `disposed`, `out-of-memory` */
  constructor(trainables: Trainable | readonly Trainable[], options?: SGDOptions) {
    const {
      learningRate = 1e-3,
      momentum = 0,
      weightDecay = 0,
    } = checkOptions(options, ['learningRate', 'momentum', 'weightDecay']);
    checkAtLeast0({ learningRate, momentum, weightDecay });
    super(trainables, learningRate, (address) =>
      core().newSgd(address, learningRate, momentum, weightDecay),
    );
  }
}

export interface AdamOptions {
  /** At least 0. Default: 0.001. */
  learningRate?: number | undefined;
  /** What is kept of the means of gradients and of their squares at each step, from 0 to below 1. Default: [0.9, 0.999]. */
  betas?: readonly [number, number] | undefined;
  /** Added to the root that is divided by. At least 0. Default: 1e-8. */
  epsilon?: number | undefined;
  /**
   * Times the learning rate, the part of the parameter that goes at each step, whatever its gradient: AdamW's decay, not
   * an L2 penalty. At least 0. Default: 0; AdamW's in PyTorch is 0.01.
   */
  weightDecay?: number | undefined;
}

/** The options with their defaults. */
interface CheckedAdamOptions {
  readonly learningRate: number;
  readonly betas: readonly [number, number];
  readonly epsilon: number;
  readonly weightDecay: number;
}

/** In the order of the core's arguments. */
const numbersOf = ({
  learningRate,
  betas,
  epsilon,
  weightDecay,
}: CheckedAdamOptions): [number, number, number, number, number] => [
  learningRate,
  ...betas,
  epsilon,
  weightDecay,
];

export function checkAdamOptions(
  options: AdamOptions | undefined,
  argument?: string,
): CheckedAdamOptions {
  const {
    learningRate = 1e-3,
    betas = [0.9, 0.999],
    epsilon = 1e-8,
    weightDecay = 0,
  } = checkOptions(options, ['learningRate', 'betas', 'epsilon', 'weightDecay'], argument);
  checkAtLeast0({ learningRate, epsilon, weightDecay });
  const expected = 'two numbers from 0 to below 1';
  const given: unknown = betas;
  if (!Array.isArray(given) || given.length !== 2) {
    fail('invalid-option', 'betas', expected, show(given));
  }
  const [first, second] = given as readonly unknown[];
  const checked = (beta: unknown): number =>
    typeof beta === 'number' && beta >= 0 && beta < 1
      ? beta
      : fail('invalid-option', 'betas', expected, show(beta));
  return { learningRate, betas: [checked(first), checked(second)], epsilon, weightDecay };
}

/**
 * Adam (Kingma and Ba 2015) with the decoupled decay of AdamW (Loshchilov and Hutter 2019). Source: PyTorch,
 * `torch.optim.AdamW`; without weight decay it is `torch.optim.Adam`.
 */
export class Adam extends Optimizer {
  /** @throws HeadwiseError `invalid-option`, `unknown-option`, `invalid-type`, `disposed`, `out-of-memory` */
  constructor(trainables: Trainable | readonly Trainable[], options?: AdamOptions) {
    const checked = numbersOf(checkAdamOptions(options));
    super(trainables, checked[0], (address) => core().newAdam(address, ...checked));
  }
}

/**
 * Multiplies all gradients by min(1, maxNorm / (norm + 1e-6)), so that their norm together is at most `maxNorm`, and
 * returns what it was before. Source: PyTorch, `torch.nn.utils.clip_grad_norm_`.
 *
 * @throws HeadwiseError `invalid-option`, `disposed`
 */
export function clipGradientNorm(
  trainables: Trainable | readonly Trainable[],
  maxNorm: number,
): number {
  modelsCore();
  const checked = checkTrainables(trainables);
  checkAtLeast0({ maxNorm });
  return core().clipGradientNorm(sendTrainables(checked), maxNorm);
}
