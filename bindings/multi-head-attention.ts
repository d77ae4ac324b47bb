/// <reference lib="esnext.disposable" preserve="true" />
import type { Core, CoreLayer } from 'headwise-glue/simd';
import { sizeOf, toFloats, type Numbers, type TensorInput } from './arrays.js';
import { core, read, reserve, write, writeIntegers } from './core.js';
import { fail, failOutOfMemory, HeadwiseError, show, showShape } from './errors.js';
import type { AttentionResult } from './functions.js';
import {
  checkBoolean,
  checkEmptyRows,
  checkNumHeads,
  checkOptionalSize,
  checkOptions,
  checkSeed,
  checkSize,
  type EmptyRows,
} from './options.js';
import { checkShape, fits, type Axis } from './shapes.js';
import { Tensor } from './tensor.js';
import { checkValidLens, type ValidLens } from './valid-lens.js';

export interface MultiHeadAttentionOptions {
  /** Size of the layer's output and, divided by `numHeads`, of one head. At least 1. */
  numHiddens: number;
  /** Number of heads; divides `numHiddens`. */
  numHeads: number;
  /** Probability that an attention weight is dropped in training mode, from 0, the default, to 1. */
  dropout?: number;
  /** Whether the four projections have a bias. Default: no. */
  bias?: boolean;
  /** Size of the queries' last axis; inferred at the first `forward` or `loadStateDict` when left out. */
  querySize?: number;
  /** Size of the keys' last axis; inferred likewise. */
  keySize?: number;
  /** Size of the values' last axis; inferred likewise. */
  valueSize?: number;
  /** Seed of the parameters and of dropout, an integer from 0 to 2^53 − 1; drawn at random when left out. */
  seed?: number;
}

export interface ForwardOptions {
  /** Which keys each query may attend to, (batch,) or (batch, queries). Default: all. */
  validLens?: ValidLens;
  /** What a query without a valid key gets: zeros, the default, or what d2l's −1e6 gives, all keys the same. */
  emptyRows?: EmptyRows;
  /** Whether to return the attention weights. Default: no, and then they are never stored. */
  returnWeights?: boolean;
}

/** Parameters by name, as PyTorch's `state_dict()` has them. */
export type StateDict = Record<string, Tensor>;

const projections = ['W_q', 'W_k', 'W_v', 'W_o'] as const;

/** Layers that were dropped without `dispose` give their WebAssembly memory back when they are collected. */
const forgotten = new FinalizationRegistry<CoreLayer>((layer) => {
  layer.delete();
});

/**
 * Multi-head attention as in d2l's chapter: queries, keys and values are projected by W_q, W_k and W_v, split into
 * heads, pooled by scaled dot-product attention in each head, put side by side and projected by W_o.
 * Source: Vaswani et al. 2017; d2l, chapter Multi-Head Attention.
 *
 * ```js
 * const attention = new MultiHeadAttention({ numHiddens: 100, numHeads: 5 });
 * const { output } = attention.forward(X, Y, Y, { validLens: [3, 2] });
 * ```
 */
export class MultiHeadAttention {
  // Private, since the sizes of WebAssembly memory follow from them.
  readonly #numHiddens: number;
  readonly #numHeads: number;
  readonly #dropout: number;
  readonly #bias: boolean;
  readonly #seed: number;
  #querySize: number | undefined;
  #keySize: number | undefined;
  #valueSize: number | undefined;
  #initialized = false;
  #training = false;
  #layer: CoreLayer | undefined;

  /**
   * @throws HeadwiseError `invalid-option`, `unknown-option`, `not-initialized`, `out-of-memory`
   */
  constructor(options: MultiHeadAttentionOptions) {
    const loaded = core();
    const given = checkOptions<MultiHeadAttentionOptions>(options, [
      'numHiddens',
      'numHeads',
      'dropout',
      'bias',
      'querySize',
      'keySize',
      'valueSize',
      'seed',
    ]);
    this.#numHiddens = checkSize('numHiddens', given.numHiddens);
    this.#numHeads = checkNumHeads(
      checkSize('numHeads', given.numHeads),
      'numHiddens',
      this.#numHiddens,
    );
    this.#dropout = checkDropout(given.dropout);
    this.#bias = checkBoolean('bias', given.bias, false);
    this.#querySize = checkOptionalSize('querySize', given.querySize);
    this.#keySize = checkOptionalSize('keySize', given.keySize);
    this.#valueSize = checkOptionalSize('valueSize', given.valueSize);
    this.#seed = checkSeed(given.seed);

    const layer = newLayer(
      loaded,
      this.#numHiddens,
      this.#numHeads,
      this.#dropout,
      this.#bias,
      this.#seed,
    );
    if (
      this.#querySize !== undefined &&
      this.#keySize !== undefined &&
      this.#valueSize !== undefined
    ) {
      if (!layer.initialize(this.#querySize, this.#keySize, this.#valueSize)) {
        layer.delete();
        failOutOfMemory();
      }
      this.#initialized = true;
    }
    this.#layer = layer;
    forgotten.register(this, layer, this);
  }

  get numHiddens(): number {
    return this.#numHiddens;
  }

  get numHeads(): number {
    return this.#numHeads;
  }

  get dropout(): number {
    return this.#dropout;
  }

  get bias(): boolean {
    return this.#bias;
  }

  /** The seed given, or the one that was drawn. */
  get seed(): number {
    return this.#seed;
  }

  /** Size of the queries' last axis, undefined while it is still to be inferred. */
  get querySize(): number | undefined {
    return this.#querySize;
  }

  /** Size of the keys' last axis, undefined while it is still to be inferred. */
  get keySize(): number | undefined {
    return this.#keySize;
  }

  /** Size of the values' last axis, undefined while it is still to be inferred. */
  get valueSize(): number | undefined {
    return this.#valueSize;
  }

  /** Whether dropout acts; a new layer is in `eval` mode. */
  get training(): boolean {
    return this.#training;
  }

  /** Whether `dispose` was called. */
  get disposed(): boolean {
    return this.#layer === undefined;
  }

  /** Switches dropout on and returns the layer. */
  train(): this {
    return this.#setTraining(true);
  }

  /** Switches dropout off and returns the layer. */
  eval(): this {
    return this.#setTraining(false);
  }

  /**
   * One pass of attention. Inputs are neither modified nor kept; what is returned is the caller's own memory. In
   * training mode dropout acts on the attention weights; those returned are the weights before it, as in d2l.
   *
   * @param queries (batch, queries, querySize)
   * @param keys (batch, keys, keySize)
   * @param values (batch, keys, valueSize)
   * @returns `output` (batch, queries, numHiddens) and, on request, `attentionWeights` (batch, heads, queries, keys)
   * @throws HeadwiseError `invalid-shape`, `invalid-type`, `invalid-value`, `invalid-option`, `unknown-option`,
   *   `disposed`, `out-of-memory`; the layer is then as it was
   */
  forward(
    queries: TensorInput,
    keys: TensorInput,
    values: TensorInput,
    options?: ForwardOptions,
  ): AttentionResult {
    const layer = this.#inUse();
    const loaded = core();
    const given = checkOptions(options, ['validLens', 'emptyRows', 'returnWeights']);
    const uniform = checkEmptyRows(given.emptyRows) === 'uniform';
    const returnWeights = checkBoolean('returnWeights', given.returnWeights, false);
    const q = toFloats('queries', queries);
    const k = toFloats('keys', keys);
    const v = toFloats('values', values);
    const [batch, numQueries, querySize] = checkShape('queries', q.shape, [
      'batch',
      'queries',
      this.#querySize ?? 'querySize',
    ]);
    const [, numKeys, keySize] = checkShape('keys', k.shape, [
      batch,
      'keys',
      this.#keySize ?? 'keySize',
    ]);
    const [, , valueSize] = checkShape('values', v.shape, [
      batch,
      numKeys,
      this.#valueSize ?? 'valueSize',
    ]);
    checkInputSize('queries', q.shape, 'querySize');
    checkInputSize('keys', k.shape, 'keySize');
    checkInputSize('values', v.shape, 'valueSize');
    const { rank, lengths } = checkValidLens(given.validLens, batch, numQueries, numKeys);

    const outputShape = [batch, numQueries, this.#numHiddens];
    const weightsShape = [batch, this.#numHeads, numQueries, numKeys];
    const [qAt = 0, kAt = 0, vAt = 0, lens = 0, output = 0, weights = 0, workspace = 0] = reserve(
      loaded,
      q.data.length,
      k.data.length,
      v.data.length,
      lengths.length,
      sizeOf(outputShape),
      returnWeights ? sizeOf(weightsShape) : 0,
      layer.workspaceSize(batch, numQueries, numKeys),
    );
    const result: AttentionResult = { output: Tensor.zeros(outputShape) };
    if (returnWeights) {
      result.attentionWeights = Tensor.zeros(weightsShape);
    }
    this.#initialize(layer, querySize, keySize, valueSize);

    write(loaded, qAt, q.data);
    write(loaded, kAt, k.data);
    write(loaded, vAt, v.data);
    writeIntegers(loaded, lens, lengths);
    layer.forward(
      batch,
      numQueries,
      numKeys,
      rank,
      lens,
      uniform,
      qAt,
      kAt,
      vAt,
      output,
      returnWeights ? weights : 0,
      workspace,
    );
    read(loaded, output, result.output.data);
    if (result.attentionWeights) {
      read(loaded, weights, result.attentionWeights.data);
    }
    return result;
  }

  /**
   * The parameters by d2l's names: `W_q.weight` (numHiddens, querySize), `W_k.weight`, `W_v.weight`, `W_o.weight`
   * and, with bias, `W_q.bias` (numHiddens,) and so on. Copies, the caller's own.
   *
   * @throws HeadwiseError `sizes-unknown` while sizes are still to be inferred, `disposed`
   */
  stateDict(): StateDict {
    const layer = this.#inUse();
    if (!this.#initialized) {
      throw new HeadwiseError(
        'sizes-unknown',
        'stateDict: expected known sizes, got none yet; give querySize, keySize and valueSize, or call forward or loadStateDict first',
      );
    }
    const dict: StateDict = {};
    for (const { name, shape, address } of this.#parameters(layer)) {
      const tensor = Tensor.zeros(shape as number[]);
      read(core(), address(), tensor.data);
      dict[name] = tensor;
    }
    return dict;
  }

  /**
   * Takes over the parameters in `dict`, all or none; sizes that are not known yet are read from it.
   *
   * @throws HeadwiseError `invalid-state-dict` that lists every name that is missing, unexpected or of the wrong shape;
   *   `invalid-type`, `disposed`, `out-of-memory`
   */
  loadStateDict(dict: Readonly<Record<string, TensorInput>>): void {
    const layer = this.#inUse();
    if (typeof dict !== 'object' || (dict as unknown) === null || Array.isArray(dict)) {
      fail('invalid-type', 'stateDict', 'an object of tensors by name', show(dict));
    }
    const tensors = new Map(
      Object.entries(dict).map(([name, value]) => [name, toFloats(name, value)]),
    );
    const parameters = this.#parameters(layer);
    checkStateDict(tensors, parameters);

    const sizeIn = (name: string): number => tensors.get(`${name}.weight`)?.shape[1] ?? 0;
    this.#initialize(layer, sizeIn('W_q'), sizeIn('W_k'), sizeIn('W_v'));
    for (const { name, address } of parameters) {
      write(core(), address(), tensors.get(name)?.data ?? new Float32Array());
    }
  }

  /** Gives the layer's WebAssembly memory back. Using the layer afterwards is an error; disposing again is not. */
  dispose(): void {
    forgotten.unregister(this);
    this.#layer?.delete();
    this.#layer = undefined;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #inUse(): CoreLayer {
    if (this.#layer === undefined) {
      throw new HeadwiseError(
        'disposed',
        'layer: expected one in use, got one that was disposed of',
      );
    }
    return this.#layer;
  }

  #setTraining(training: boolean): this {
    this.#inUse().setTraining(training);
    this.#training = training;
    return this;
  }

  /** Fixes the sizes and draws the parameters at the first use; nothing changes if there is no memory for them. */
  #initialize(layer: CoreLayer, querySize: number, keySize: number, valueSize: number): void {
    if (this.#initialized) {
      return;
    }
    if (!layer.initialize(querySize, keySize, valueSize)) {
      failOutOfMemory();
    }
    this.#querySize = querySize;
    this.#keySize = keySize;
    this.#valueSize = valueSize;
    this.#initialized = true;
  }

  #parameters(layer: CoreLayer): Parameter[] {
    const sizesIn = [
      this.#querySize ?? 'querySize',
      this.#keySize ?? 'keySize',
      this.#valueSize ?? 'valueSize',
      this.#numHiddens,
    ];
    return projections.flatMap((name, i) => {
      const weight: Parameter = {
        name: `${name}.weight`,
        shape: [this.#numHiddens, sizesIn[i] ?? 0],
        address: () => layer.weight(i),
      };
      const bias: Parameter = {
        name: `${name}.bias`,
        shape: [this.#numHiddens],
        address: () => layer.bias(i),
      };
      return this.#bias ? [weight, bias] : [weight];
    });
  }
}

/** A parameter's name, its shape as far as it is known, and where it lies once the layer is initialized. */
interface Parameter {
  readonly name: string;
  readonly shape: readonly Axis[];
  readonly address: () => number;
}

function newLayer(loaded: Core, ...options: ConstructorParameters<Core['Layer']>): CoreLayer {
  // Room for the layer's own bookkeeping, which is small.
  if (!loaded.canAllocate(4096)) {
    failOutOfMemory();
  }
  return new loaded.Layer(...options);
}

function checkDropout(value: unknown): number {
  if (value === undefined) {
    return 0;
  }
  if (typeof value !== 'number' || !(value >= 0 && value <= 1)) {
    fail('invalid-option', 'dropout', 'a number from 0 to 1', show(value));
  }
  return value;
}

/** Checks that an input whose size is about to be inferred has one. */
function checkInputSize(argument: string, shape: readonly number[], name: string): void {
  if (shape.at(-1) === 0) {
    fail('invalid-shape', argument, `${name} of at least 1`, showShape(shape));
  }
}

function checkStateDict(
  tensors: ReadonlyMap<string, Numbers<Float32Array>>,
  parameters: readonly Parameter[],
): void {
  const expected = new Map(parameters.map(({ name, shape }) => [name, shape]));
  const missing: string[] = [];
  const wrong: string[] = [];
  for (const name of [...expected.keys()].sort()) {
    const shape = expected.get(name) ?? [];
    const tensor = tensors.get(name);
    if (tensor === undefined) {
      missing.push(name);
    } else if (!fits(tensor.shape, shape) || tensor.data.length === 0) {
      wrong.push(`${name}: expected ${showShape(shape)}, got ${showShape(tensor.shape)}`);
    }
  }
  const unexpected = [...tensors.keys()].filter((name) => !expected.has(name)).sort();
  const problems = [
    ...(missing.length > 0 ? [`missing ${missing.join(', ')}`] : []),
    ...(unexpected.length > 0 ? [`unexpected ${unexpected.join(', ')}`] : []),
    ...wrong,
  ];
  if (problems.length > 0) {
    throw new HeadwiseError('invalid-state-dict', `stateDict: ${problems.join('; ')}`);
  }
}
