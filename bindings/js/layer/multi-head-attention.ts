/// <reference lib="esnext.disposable" preserve="true" />
import { HeadwiseError } from '../runtime/errors.js';
import { completed, Handle, type Held } from '../runtime/handle.js';
import { checkOptions } from '../runtime/options.js';
import type { Precision } from '../runtime/precisions.js';
import { commit, core } from '../runtime/wasm.js';
import { inPlace, toFloats } from '../tensor/arrays.js';
import type { NumericArray, TensorInput } from '../tensor/inputs.js';
import type { TensorsByName } from '../tensor/integers.js';
import { registerTrainable } from '../training/trainables.js';
import {
  checkPending,
  readBackwardOptions,
  runBackward,
  type BackwardOptions,
  type Gradients,
  type PendingShapes,
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
import { readStateDict, toDict, type FromStateDictOptions } from './from-state-dict.js';
import {
  checkCacheOptions,
  KeyValueCache,
  numberOfPrecision,
  type CacheOptions,
} from './key-value-cache.js';
import {
  checkLayerOptions,
  layerOptionNames,
  newLayer,
  type InputSizes,
  type LayerSettings,
  type MultiHeadAttentionOptions,
  type Pooling,
  type Projection,
} from './layer-options.js';
import {
  checkStateDict,
  parametersOf,
  readTensors,
  sizesIn,
  writeTensors,
  type Parameter,
  type StateDict,
} from './parameters.js';
import { inspect, printedLayer } from './printed.js';
import { checkHeads, checkPrunable, readHeads, removeHeads, withoutHeads } from './pruning.js';

/** A layer that is part of a model. */
export class LayerOfModel {
  readonly handle: Held;
  readonly settings: LayerSettings;
  /** Of the inputs' last axes. */
  readonly size: number;

  constructor(handle: Held, settings: LayerSettings, size: number) {
    this.handle = handle;
    this.settings = settings;
    this.size = size;
  }
}

/**
 * Multi-head attention as in d2l's chapter: queries, keys and values are projected by W_q, W_k and W_v, split into
 * heads, pooled in each head, put side by side and projected by W_o.
 * Source: Vaswani et al. 2017; d2l, chapter Multi-Head Attention.
 *
 * ```js
 * const attention = new MultiHeadAttention({ numHiddens: 100, numHeads: 5 });
 * const { output } = attention.forward(X, Y, Y, { validLens: [3, 2] });
 * ```
 */
export class MultiHeadAttention {
  // Private, since the sizes of WebAssembly memory follow from them.
  #settings: LayerSettings;
  #sizes: InputSizes;
  #initialized = false;
  /** Of the latest forward with gradients. */
  #pending: PendingShapes = { queries: [], keys: [], values: [] };
  readonly #handle: Held;

  /**
   * @throws HeadwiseError `invalid-option` for options outside their range or that exclude each other;
   *   `unknown-option`, `not-initialized`, `out-of-memory`
   */
  constructor(options: MultiHeadAttentionOptions) {
    core(); // Fails before `init`, whatever the options are.
    if (options instanceof LayerOfModel) {
      const { handle, settings, size } = options;
      this.#settings = settings;
      this.#sizes = { querySize: size, keySize: size, valueSize: size };
      this.#initialized = true;
      this.#handle = handle;
      registerTrainable(this, { isModel: false, handle, weights: settings.weights });
      return;
    }
    const [settings, sizes] = checkLayerOptions(options);
    this.#settings = settings;
    this.#sizes = sizes;
    this.#initialized = Object.values(sizes).every((size) => size !== undefined);
    this.#handle = new Handle('layer', this, newLayer(settings, sizes), 'deleteLayer');
    const { weights } = settings;
    registerTrainable(this, { isModel: false, handle: this.#handle, weights });
  }

  /**
   * A layer with the parameters in `dict`, whose names and layout may be those of d2l, `nn.MultiheadAttention` (packed
   * or separate projections), BERT, ViT (older and newer names, and timm's), GPT-2, minGPT or nanoGPT. Sizes, bias,
   * `numKvHeads`, pooling and projection are read from it; an option that says otherwise is an error. A bias that only
   * some projections have is zero in the others. Buffers are left alone: `position_ids`, masks of GPT-2 (`bias` of shape
   * (1, 1, n, n), `masked_bias`), tables of rotary positions (`inv_freq`, `cos_cached`, `sin_cached`).
   *
   * @throws HeadwiseError `invalid-state-dict` that lists every name that is missing, unexpected, of the wrong shape or
   *   of integers, or the prefixes there are; `invalid-option`, `unknown-option`, `invalid-type`, `invalid-shape`,
   *   `not-initialized`, `out-of-memory`
   */
  static fromStateDict(dict: TensorsByName, options: FromStateDictOptions): MultiHeadAttention {
    const read = readStateDict(dict, options);
    return completed(new MultiHeadAttention(read.options), (layer) => {
      layer.loadStateDict(read.dict);
    });
  }

  /**
   * A layer of the same parameters, in evaluation mode.
   *
   * @internal
   */
  static copyOf(layer: MultiHeadAttention): MultiHeadAttention {
    layer.#handle.inUse();
    const settled = { ...layer.#settings, ...layer.#sizes };
    const unfit = settled.pooling === 'additive' ? 'scale' : 'attentionHiddens';
    const options = layerOptionNames
      .filter((name) => name !== unfit)
      .map((name) => [name, settled[name]]);
    const made = new MultiHeadAttention(Object.fromEntries(options) as MultiHeadAttentionOptions);
    return completed(made, (copy) => {
      if (layer.#initialized) {
        copy.loadStateDict(layer.stateDict());
      }
    });
  }

  /** @internal */
  static ofModel(part: LayerOfModel): MultiHeadAttention {
    return new MultiHeadAttention(part as unknown as MultiHeadAttentionOptions);
  }

  /**
   * Takes over what a call of the model, which this layer is part of, has done: heads removed, and the shapes of a pass
   * with gradients.
   *
   * @internal
   */
  static followModel(
    layer: MultiHeadAttention,
    change: { readonly removedHeads?: number; readonly pending?: PendingShapes },
  ): void {
    if (change.removedHeads !== undefined) {
      layer.#settings = withoutHeads(layer.#settings, change.removedHeads);
    }
    layer.#pending = change.pending ?? layer.#pending;
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

  /** The seed given, or the one that was drawn. */
  get seed(): number {
    return this.#settings.seed;
  }

  /** Size of the queries' last axis, undefined while it is still to be inferred. */
  get querySize(): number | undefined {
    return this.#sizes.querySize;
  }

  /** Size of the keys' last axis, undefined while it is still to be inferred. */
  get keySize(): number | undefined {
    return this.#sizes.keySize;
  }

  /** Size of the values' last axis, undefined while it is still to be inferred. */
  get valueSize(): number | undefined {
    return this.#sizes.valueSize;
  }

  /** Whether dropout acts: not in a new layer, which is in `eval` mode, and not in one that was disposed of. */
  get training(): boolean {
    return !this.#handle.disposed && core().isTraining(this.#handle.inUse()) !== 0;
  }

  /** Whether `dispose` was called. */
  get disposed(): boolean {
    return this.#handle.disposed;
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
   * Inputs without a batch axis, (length, size), are answered without one.
   *
   * @param queries (batch, queries, querySize)
   * @param keys (batch, keys, keySize); null, with null values and a cache, to attend to what the cache holds and add
   *   nothing to it
   * @param values (batch, keys, valueSize)
   * @returns `output` (batch, queries, outputSize) and, on request, `attentionWeights` (batch, heads, queries, keys and
   *   extra slots), `keyMass` (batch, heads, keys and extra slots) and `captured`
   * @throws HeadwiseError `invalid-shape`, `invalid-type`, `invalid-value`, `invalid-option`, `unknown-option`,
   *   `invalid-cache`, `cache-full`, `disposed`, `out-of-memory`; layer and cache are then as they were
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
  /** The same with attention weights if `returnWeights` asks for any. */
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
    // Reading may have run code of the caller's.
    const layer = this.#handle.inUse();
    if (inputs.keyValues === undefined) {
      this.#needSizes('forward');
    }
    const follow = (sizes: InputSizes): void => {
      this.#initializedWith(sizes);
      if (inputs.requiresGrad && inputs.keyValues !== undefined) {
        const [{ shape: ofKeys }, { shape: ofValues }] = inputs.keyValues;
        this.#pending = { queries: inputs.q.shape, keys: ofKeys, values: ofValues };
      }
    };
    return runForward(
      { layer, owner: this, settings: this.#settings, sizes: this.#sizes, follow },
      inputs,
    );
  }

  /**
   * Gradients of the inputs from that of the output, for the latest forward that succeeded with `requiresGrad`; other
   * forwards leave it pending. Gradients of the parameters are added to those there are, see `gradients`. What a query
   * may not attend to has gradient 0, and what it holds reaches none. A float mask gets no gradient. Source: PyTorch,
   * `Tensor.backward`.
   *
   * @param gradOutput of the output's shape
   * @param options `out`: memory for the gradients, as `forward` has it for its results
   * @throws HeadwiseError `no-pending-backward` where there was no such forward, its backward was done, or parameters
   *   were changed since; `invalid-shape`, `invalid-type`, `unknown-option`, `disposed`, `out-of-memory`; the layer is
   *   then as it was
   */
  backward(gradOutput: TensorInput, options?: BackwardOptions): Gradients {
    checkPending(this.#handle.inUse());
    const grad = toFloats('gradOutput', gradOutput, inPlace);
    const targets = readBackwardOptions(options);
    const layer = this.#handle.inUse();
    checkPending(layer);
    return runBackward(layer, this.#settings, this.#pending, grad, targets);
  }

  /**
   * Sums of the parameters' gradients since the last `zeroGradients`, under the names and in the shapes of `stateDict`;
   * copies of the caller's own.
   *
   * @throws HeadwiseError `sizes-unknown` while sizes are still to be inferred, `disposed`
   */
  gradients(): StateDict {
    const layer = this.#handle.inUse();
    this.#needSizes('gradients');
    return readTensors(this.#parameters(), ({ number }) => core().gradient(layer, number));
  }

  /** Makes the gradients of the parameters 0. */
  zeroGradients(): void {
    core().zeroGradients(this.#handle.inUse());
  }

  /**
   * Removes heads for good: rows of W_q, W_k and W_v and columns of W_o. The output is that of gating these heads at 0,
   * and a pass takes less time and memory by what went. `heads` are indices before the call, in any order; one given
   * twice counts once, none change nothing. Heads that are left are numbered from 0 again, and `numHiddens` is theirs;
   * the scale and `outputSize` stay. Gradients of what is left stay too, and so does what optimizers keep beside it. A
   * pending backward and older caches are invalid from then on. Source: Michel et al. 2019; Hugging Face Transformers,
   * `prune_heads`.
   *
   * @throws HeadwiseError `invalid-option` for indices that the layer does not have, for all of them, for some of the
   *   heads that share a key-value head, and for a layer without W_o or with convolutions; `invalid-type`,
   *   `sizes-unknown`, `disposed`, `out-of-memory`; the layer is then as it was
   */
  pruneHeads(heads: readonly number[] | NumericArray): void {
    this.#handle.inUse();
    checkPrunable(this.#settings);
    this.#needSizes('pruneHeads');
    const given = readHeads(heads);
    const layer = this.#handle.inUse();
    const checked = checkHeads(given, this.#settings);
    commit(() => {
      removeHeads(layer, checked);
      this.#settings = withoutHeads(this.#settings, checked.length);
    });
  }

  /**
   * An empty cache for decoding. Feeding tokens through it one by one or in chunks equals the causal pass over all. Needs
   * the sizes of the inputs: give `querySize`, `keySize` and `valueSize` to the constructor, or call `forward` or
   * `loadStateDict` before.
   *
   * @throws HeadwiseError `sizes-unknown` while sizes are still to be inferred; `invalid-option`, `unknown-option`,
   *   `disposed`, `out-of-memory`
   */
  createCache(options: CacheOptions): KeyValueCache {
    this.#handle.inUse();
    this.#needSizes('createCache');
    const checked = checkCacheOptions(options);
    const { batchSize, maxLength } = checked;
    const address = core().createCache(
      this.#handle.inUse(),
      batchSize,
      maxLength,
      numberOfPrecision(checked),
    );
    return new KeyValueCache({ owner: this, settings: this.#settings }, address, checked);
  }

  /**
   * The parameters by d2l's names, copies of the caller's own: `W_q.weight` (numHiddens, querySize), `W_k.weight`,
   * `W_v.weight`, `W_o.weight` (outputSize, numHiddens), with bias `W_q.bias` (numHiddens,) and so on; of convolutions
   * (numHiddens, querySize / numHeads, 1); `bias_k`, `bias_v` (1, 1, numKvHeads · head size); of additive pooling
   * `attention.W_q.weight`, `attention.W_k.weight` (attentionHiddens, head size) and `attention.w_v.weight`
   * (1, attentionHiddens).
   *
   * @throws HeadwiseError `sizes-unknown` while sizes are still to be inferred, `disposed`
   */
  stateDict(): StateDict {
    const layer = this.#handle.inUse();
    this.#needSizes('stateDict');
    return readTensors(this.#parameters(), ({ number }) => core().parameter(layer, number));
  }

  /**
   * Takes over the parameters in `dict`, all or none; sizes that are not known yet are read from it.
   *
   * @throws HeadwiseError `invalid-state-dict` that lists every name that is missing, unexpected or of the wrong shape;
   *   `invalid-type`, `disposed`, `out-of-memory`
   */
  loadStateDict(dict: TensorsByName): void {
    this.#handle.inUse();
    const tensors = toDict(dict);
    const layer = this.#handle.inUse();
    const parameters = this.#parameters();
    checkStateDict(tensors, parameters);

    if (!this.#initialized) {
      const sizes = sizesIn(tensors, this.#settings, this.#sizes);
      commit(() => {
        core().initialize(layer, sizes.querySize, sizes.keySize, sizes.valueSize);
        this.#initializedWith(sizes);
      });
    }
    writeTensors(parameters, tensors, ({ number }) => core().parameter(layer, number));
    core().parametersChanged(layer);
  }

  /**
   * Gives the layer's WebAssembly memory back. Using the layer afterwards is an error; disposing again is not. A layer
   * of a model goes with the model alone.
   */
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
   * What Node's `console.log` prints: options and linear maps, as PyTorch prints a module.
   *
   * @internal
   */
  [inspect](): string {
    return printedLayer(this.#settings, this.#sizes);
  }

  #needSizes(what: string): void {
    if (!this.#initialized) {
      throw new HeadwiseError(
        'sizes-unknown',
        `${what}: expected known sizes, got none yet; give querySize, keySize and valueSize, or call forward or loadStateDict first`,
      );
    }
  }

  #parameters(): Parameter[] {
    return parametersOf(this.#settings, this.#sizes);
  }

  #setTraining(training: boolean): this {
    core().setTraining(this.#handle.inUse(), Number(training));
    return this;
  }

  /** Sizes that a call has fixed. */
  #initializedWith({ querySize, keySize, valueSize }: InputSizes): void {
    if (!this.#initialized) {
      this.#sizes = { querySize, keySize, valueSize };
      this.#initialized = true;
    }
  }
}
