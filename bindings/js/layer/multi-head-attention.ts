/// <reference lib="esnext.disposable" preserve="true" />
import { inputSizes, namedTensors } from 'headwise-records';
import { HeadwiseError } from '../runtime/errors.js';
import { completed, Handle, type Held } from '../runtime/handle.js';
import { reserve, writeDoubles, type Address } from '../runtime/memory.js';
import { checkOptions } from '../runtime/options.js';
import type { Precision } from '../runtime/precisions.js';
import { receive, send } from '../runtime/records.js';
import { commit, core } from '../runtime/wasm.js';
import { inPlace, toFloats } from '../tensor/arrays.js';
import type { NumericArray, TensorInput } from '../tensor/inputs.js';
import type { TensorsByName } from '../tensor/integers.js';
import { registerTrainable } from '../training/trainables.js';
import {
  readBackwardOptions,
  runBackward,
  type BackwardOptions,
  type Gradients,
} from './backward.js';
import type { CaptureName } from './capture.js';
import type { ChosenWeights } from './chosen-weights.js';
import {
  forwardOptionNames,
  readForward,
  runForward,
  type ForwardOptions,
  type ForwardResult,
} from './forward.js';
import {
  namesAndShapes,
  readStateDict,
  toDict,
  type FromStateDictOptions,
} from './from-state-dict.js';
import { KeyValueCache } from './key-value-cache.js';
import {
  newLayer,
  type InputSizes,
  type LayerSettings,
  type MultiHeadAttentionOptions,
  type Pooling,
  type Projection,
} from './layer-options.js';
import {
  parametersOf,
  readGradients,
  readValues,
  reserveForWriting,
  writeValues,
  type Parameter,
  type StateDict,
} from './parameters.js';
import { numberOfPrecision, readCacheOptions, type CacheOptions } from './position-cache.js';
import { inspect, printedLayer } from './printed.js';
import { readHeads, withoutHeads } from './pruning.js';

/** A layer that C++ has made: part of a model, or a copy. */
export class MadeLayer {
  /** The model's part, or the address of the copy. */
  readonly handle: Held | Address;
  readonly settings: LayerSettings;
  readonly sizes: InputSizes;

  constructor(handle: Held | Address, settings: LayerSettings, sizes: InputSizes) {
    this.handle = handle;
    this.settings = settings;
    this.sizes = sizes;
  }
}

/**
 * Multi-head attention as in d2l's chapter: queries, keys and values are projected by W_q, W_k and W_v, split into
 * heads, pooled in each head, concatenated and projected by W_o.
 * Source: Vaswani et al. 2017; d2l, chapter Multi-Head Attention.
 *
 * ```js
 * const attention = new MultiHeadAttention({ numHiddens: 100, numHeads: 5 });
 * const { output } = attention.forward(X, Y, Y, { validLens: [3, 2] });
 * ```
 */
export class MultiHeadAttention {
  // Private, because the sizes of WebAssembly allocations depend on them.
  #settings: LayerSettings;
  #sizes: InputSizes;
  #initialized = false;
  readonly #handle: Held;

  /**
   * @throws HeadwiseError `invalid-option` for options out of range or that exclude each other; `unknown-option`,
   *   `not-initialized`, `out-of-memory`
   */
  constructor(options: MultiHeadAttentionOptions) {
    core(); // Fails before `init`, even if the options are invalid.
    const { handle, settings, sizes } = options instanceof MadeLayer ? options : newLayer(options);
    this.#settings = settings;
    this.#sizes = sizes;
    this.#initialized = Object.values(sizes).every((size) => size !== undefined);
    this.#handle =
      typeof handle === 'number' ? new Handle('layer', this, handle, 'deleteLayer') : handle;
    registerTrainable(this, { isModel: false, handle: this.#handle });
  }

  /**
   * Creates a layer with the parameters in `dict`. Reads the names and layouts of d2l, `nn.MultiheadAttention` (packed
   * or separate projections), BERT, ViT (older and newer names, and timm's), GPT-2, minGPT and nanoGPT. Sizes, bias,
   * `numKvHeads`, pooling and projection follow from the tensors; an option that contradicts them is an error. If only
   * some projections have a bias, the others get zeros. Ignores buffers: `position_ids`, masks of GPT-2 (`bias` of
   * shape (1, 1, n, n), `masked_bias`), tables of rotary positions (`inv_freq`, `cos_cached`, `sin_cached`).
   *
   * @throws HeadwiseError `invalid-state-dict` that lists every tensor that is missing, unexpected, of the wrong shape
   *   or not of floats, or the prefixes found; `invalid-option`, `unknown-option`, `invalid-type`, `invalid-shape`,
   *   `not-initialized`, `out-of-memory`
   */
  static fromStateDict(dict: TensorsByName, options: FromStateDictOptions): MultiHeadAttention {
    const read = readStateDict(dict, options);
    return completed(new MultiHeadAttention(read.options), (layer) => {
      layer.loadStateDict(read.dict);
    });
  }

  /**
   * A layer with copies of the parameters, in evaluation mode.
   *
   * @internal
   */
  static copyOf(layer: MultiHeadAttention): MultiHeadAttention {
    const copied = core().copyLayer(layer.#handle.inUse());
    return MultiHeadAttention.of(new MadeLayer(copied, layer.#settings, layer.#sizes));
  }

  /** @internal */
  static of(made: MadeLayer): MultiHeadAttention {
    return new MultiHeadAttention(made as unknown as MultiHeadAttentionOptions);
  }

  /**
   * Updates a model's layer after heads were removed from it. C++ knows what else a model changes.
   *
   * @internal
   */
  static followPruning(layer: MultiHeadAttention, removedHeads: number): void {
    layer.#settings = withoutHeads(layer.#settings, removedHeads);
  }

  /** @internal */
  static settingsOf(layer: MultiHeadAttention): LayerSettings {
    return layer.#settings;
  }

  get numHiddens(): number {
    return this.#settings.numHiddens;
  }

  get numHeads(): number {
    return this.#settings.numHeads;
  }

  get numKvHeads(): number {
    return this.#settings.numKvHeads;
  }

  get outputSize(): number {
    return this.#settings.outputSize;
  }

  get pooling(): Pooling {
    return this.#settings.pooling;
  }

  get projection(): Projection {
    return this.#settings.projection;
  }

  get dropout(): number {
    return this.#settings.dropout;
  }

  /** Precision of the weights. */
  get weights(): Precision {
    return this.#settings.weights;
  }

  get bias(): boolean {
    return this.#settings.bias;
  }

  get outputBias(): boolean {
    return this.#settings.outputBias;
  }

  /** The given seed, or the random one. */
  get seed(): number {
    return this.#settings.seed;
  }

  /** Size of the queries' last axis. Undefined until it is inferred. */
  get querySize(): number | undefined {
    return this.#sizes.querySize;
  }

  /** Size of the keys' last axis. Undefined until it is inferred. */
  get keySize(): number | undefined {
    return this.#sizes.keySize;
  }

  /** Size of the values' last axis. Undefined until it is inferred. */
  get valueSize(): number | undefined {
    return this.#sizes.valueSize;
  }

  /** Whether dropout is on. False in a new layer and after `dispose`. */
  get training(): boolean {
    return !this.#handle.disposed && core().isTraining(this.#handle.inUse()) !== 0;
  }

  /** Whether `dispose` was called. */
  get disposed(): boolean {
    return this.#handle.disposed;
  }

  /** Switches dropout on (training mode) and returns the layer. */
  train(): this {
    return this.#setTraining(true);
  }

  /** Switches dropout off (evaluation mode, as in a new layer) and returns the layer. */
  eval(): this {
    return this.#setTraining(false);
  }

  /**
   * Computes attention. The layer neither changes nor keeps the inputs, and you own the results. In training mode,
   * dropout applies to the attention weights; the returned weights are those before dropout, as in d2l.
   *
   * If the inputs have no batch axis, (length, size), the results have none.
   *
   * @param queries (batch, queries, querySize)
   * @param keys (batch, keys, keySize). If keys and values are null, queries attend to `options.cache`, and nothing is
   *   appended to it.
   * @param values (batch, keys, valueSize)
   * @returns `output` (batch, queries, outputSize) and, if requested, `attentionWeights` (batch, heads, queries, keys +
   *   extra slots), `keyMass` (batch, heads, keys + extra slots) and `captured`
   * @throws HeadwiseError `invalid-shape`, `invalid-type`, `invalid-value`, `invalid-option`, `unknown-option`,
   *   `invalid-cache`, `cache-full`, `disposed`, `out-of-memory`; layer and cache are then unchanged
   */
  forward<
    const Weights extends true | ChosenWeights,
    const KeyMass extends boolean | undefined = undefined,
    const Names extends readonly CaptureName[] | undefined = undefined,
  >(
    queries: TensorInput,
    keys: TensorInput | null,
    values: TensorInput | null,
    options: ForwardOptions<Weights, KeyMass, Names> & { returnWeights: Weights },
  ): ForwardResult<Weights, KeyMass, Names>;
  /** The same without attention weights. */
  forward<
    const KeyMass extends boolean | undefined = undefined,
    const Names extends readonly CaptureName[] | undefined = undefined,
  >(
    queries: TensorInput,
    keys: TensorInput | null,
    values: TensorInput | null,
    options?: ForwardOptions<false | undefined, KeyMass, Names>,
  ): ForwardResult<false, KeyMass, Names>;
  /** The same with attention weights if `returnWeights` requests them. */
  forward<
    const KeyMass extends boolean | undefined = undefined,
    const Names extends readonly CaptureName[] | undefined = undefined,
  >(
    queries: TensorInput,
    keys: TensorInput | null,
    values: TensorInput | null,
    options?: ForwardOptions<boolean | ChosenWeights | undefined, KeyMass, Names>,
  ): ForwardResult<boolean, KeyMass, Names>;
  forward(
    queries: TensorInput,
    keys: TensorInput | null,
    values: TensorInput | null,
    options?: ForwardOptions,
  ): ForwardResult {
    this.#handle.inUse();
    const given = checkOptions(options, forwardOptionNames);
    const inputs = readForward(queries, keys, values, given);
    // Reading the inputs may have run the caller's code, which may have disposed of the layer.
    return runForward(this.#handle.inUse(), inputs, () => {
      if (inputs.keyValues !== undefined) {
        const [ofKeys, ofValues] = inputs.keyValues;
        this.#initializedWith({
          querySize: inputs.q.shape.at(-1),
          keySize: ofKeys.shape.at(-1),
          valueSize: ofValues.shape.at(-1),
        });
      }
    });
  }

  /**
   * Computes the gradients of the inputs, given the gradient of the output, for the latest successful forward with
   * `requiresGrad`; other forwards in between do not matter. Adds the parameters' gradients to the existing ones, see
   * `gradients`. Keys and values that no query may attend to have gradient 0 and affect no other gradient. A float mask
   * gets no gradient. Source: PyTorch, `Tensor.backward`.
   *
   * @param gradOutput of the output's shape
   * @param options `out`: memory to write the gradients to, as for `forward`
   * @throws HeadwiseError `no-pending-backward` if there was no such forward, its backward was done, or parameters have
   *   changed since; `invalid-shape`, `invalid-type`, `unknown-option`, `disposed`, `out-of-memory`; the layer is then
   *   unchanged
   */
  backward(gradOutput: TensorInput, options?: BackwardOptions): Gradients {
    this.#handle.inUse();
    const grad = toFloats('gradOutput', gradOutput, inPlace);
    const targets = readBackwardOptions(options);
    return runBackward(this.#handle.inUse(), grad, targets);
  }

  /**
   * Returns copies of the sums of the parameters' gradients since the last `zeroGradients`, with the names and shapes
   * of `stateDict`.
   *
   * @throws HeadwiseError `sizes-unknown` before sizes are inferred, `disposed`
   */
  gradients(): StateDict {
    const layer = this.#handle.inUse();
    this.#needSizes('gradients');
    return readGradients(parametersOf(layer));
  }

  /** Sets the parameters' gradients to 0. */
  zeroGradients(): void {
    core().zeroGradients(this.#handle.inUse());
  }

  /**
   * Removes heads for good: rows of W_q, W_k and W_v and columns of W_o. The output equals that with gates of 0 for
   * these heads, but passes take less time and memory. `heads` are indices before the call, in any order; duplicates
   * count once. The remaining heads are renumbered from 0 and keep their gradients and optimizer states. `numHiddens`
   * shrinks; the scale and `outputSize` stay. A pending backward and existing caches become invalid. Source: Michel et
   * al. 2019; Hugging Face Transformers, `prune_heads`.
   *
   * @throws HeadwiseError `invalid-option` for indices out of range, for all heads, for only some of the heads that
   *   share a key-value head, and for a layer without W_o or with convolutions; `invalid-type`, `sizes-unknown`,
   *   `disposed`, `out-of-memory`; the layer is then unchanged
   */
  pruneHeads(heads: readonly number[] | NumericArray): void {
    this.#handle.inUse();
    const given = readHeads(heads, this.#settings);
    const layer = this.#handle.inUse();
    const [address] = reserve(2 * given.length);
    writeDoubles(address, Float64Array.from(given));
    commit(() => {
      core().removeHeads(layer, address, given.length);
      this.#settings = withoutHeads(this.#settings, given.length);
    });
  }

  /**
   * Creates an empty KV cache for decoding. Passing tokens one by one or in chunks then gives the same output as one
   * causal pass over all of them. The sizes of the inputs must be known: set `querySize`, `keySize` and `valueSize`, or
   * call `forward` or `loadStateDict` first.
   *
   * @throws HeadwiseError `sizes-unknown` before sizes are inferred; `invalid-option`, `unknown-option`, `disposed`,
   *   `out-of-memory`
   */
  createCache(options: CacheOptions): KeyValueCache {
    this.#handle.inUse();
    this.#needSizes('createCache');
    const checked = readCacheOptions(options);
    const { batchSize, maxLength } = checked;
    const address = core().createCache(
      this.#handle.inUse(),
      batchSize,
      maxLength,
      numberOfPrecision(checked),
    );
    return new KeyValueCache(address, checked);
  }

  /**
   * Returns copies of the parameters by d2l's names: `W_q.weight` (numHiddens, querySize), `W_k.weight`, `W_v.weight`,
   * `W_o.weight` (outputSize, numHiddens), with bias `W_q.bias` (numHiddens,) and so on. Weights of convolutions are
   * (numHiddens, querySize / numHeads, 1). Options add `bias_k`, `bias_v` (1, 1, numKvHeads · head size); for additive
   * pooling `attention.W_q.weight`, `attention.W_k.weight` (attentionHiddens, head size) and `attention.w_v.weight` (1,
   * attentionHiddens).
   *
   * @throws HeadwiseError `sizes-unknown` before sizes are inferred, `disposed`
   */
  stateDict(): StateDict {
    const layer = this.#handle.inUse();
    this.#needSizes('stateDict');
    return readValues(parametersOf(layer));
  }

  /**
   * Loads all parameters, or none. Infers sizes that are not known yet.
   *
   * @throws HeadwiseError `invalid-state-dict` that lists every tensor that is missing, unexpected or of the wrong
   *   shape; `invalid-type`, `disposed`, `out-of-memory`
   */
  loadStateDict(dict: TensorsByName): void {
    this.#handle.inUse();
    const tensors = toDict(dict);
    const layer = this.#handle.inUse();
    const request = send(namedTensors, { tensors: namesAndShapes(tensors) });
    const sizes = receive(inputSizes, core().checkLayerTensors(layer, request));
    const parameters = parametersOf(layer);
    const at = reserveForWriting(tensors);

    const initialize = (): Address => {
      const stored = core().initialize(layer, sizes.querySize, sizes.keySize, sizes.valueSize);
      this.#initializedWith(sizes);
      return stored;
    };
    writeValues(parameters, tensors, at, this.#initialized ? undefined : commit(initialize));
    core().parametersChanged(layer);
  }

  /**
   * Frees the layer's WebAssembly memory. Using the layer afterwards is an error; calling `dispose` again does nothing.
   * A model's layer is freed by disposing of the model.
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
   * The text that Node's `console.log` prints: options and linear maps, as PyTorch prints a module.
   *
   * @internal
   */
  [inspect](): string {
    let parameters: readonly Parameter[] = [];
    try {
      parameters = parametersOf(this.#handle.inUse());
    } catch {
      // Of a layer that was disposed of or lost, only the options are known.
    }
    return printedLayer(this.#settings, parameters);
  }

  #needSizes(what: string): void {
    if (!this.#initialized) {
      throw new HeadwiseError(
        'sizes-unknown',
        `${what}: expected known sizes, got none yet; give querySize, keySize and valueSize, or call forward or loadStateDict first`,
      );
    }
  }

  #setTraining(training: boolean): this {
    core().setTraining(this.#handle.inUse(), Number(training));
    return this;
  }

  /** Stores the sizes that a call has inferred. */
  #initializedWith({ querySize, keySize, valueSize }: InputSizes): void {
    if (!this.#initialized) {
      this.#sizes = { querySize, keySize, valueSize };
      this.#initialized = true;
    }
  }
}
