/// <reference lib="esnext.disposable" preserve="true" />
import { modelDescription, type AttentionSettings, type ModelSettings } from 'headwise-records';
import type { Gguf, GgufFile } from '../io/gguf.js';
import { storedCheckpoint, type StoredCheckpoint } from '../io/stored-checkpoints.js';
import { readCacheOptions, numberOfPrecision, type CacheOptions } from '../layer/position-cache.js';
import { MadeLayer, MultiHeadAttention } from '../layer/multi-head-attention.js';
import type { ChosenWeights } from '../layer/chosen-weights.js';
import { precisions, type Precision } from '../runtime/precisions.js';
import type { LayerSettings } from '../layer/layer-options.js';
import type { StateDict } from '../layer/parameters.js';
import { inspect, printed } from '../layer/printed.js';
import { readHeads } from '../layer/pruning.js';
import { fail, failOption, show } from '../runtime/errors.js';
import { Handle, PartHandle } from '../runtime/handle.js';
import { reserve, writeDoubles, writeIntegers, type Address } from '../runtime/memory.js';
import { modelsCore } from '../runtime/models-build.js';
import { checkOptions, checkWord, entriesOf, isIntegerIn, isObject } from '../runtime/options.js';
import { receive } from '../runtime/records.js';
import { commit, core } from '../runtime/wasm.js';
import type { TensorInput, TokensInput } from '../tensor/inputs.js';
import type { TensorsByName } from '../tensor/integers.js';
import type { Tensor } from '../tensor/tensor.js';
import { Adam, Optimizer } from '../training/optimizers.js';
import { registerTrainable } from '../training/trainables.js';
import {
  generateTokens,
  readGenerate,
  type GeneratedText,
  type GenerateOptions,
} from './generate.js';
import {
  readOutputGradients,
  runModelBackward,
  type TransformerGradients,
  type TransformerOutputGradients,
} from './model-backward.js';
import { ModelCache } from './model-cache.js';
import type { ActivationName } from './activations.js';
import {
  attributeLogits,
  attributionOptionNames,
  lensOptionNames,
  logitLens,
  patchHeads,
  patchHeadsOptionNames,
  readAttribution,
  readLens,
  readPatching,
  type AttributionOptions,
  type LogitAttribution,
  type LogitLensOptions,
  type PatchHeadsOptions,
} from './microscope.js';
import {
  forwardOptionNames,
  hasBatchAxis,
  passOptionNames,
  readPass,
  type EmbeddingsInput,
  type PassModel,
  type TransformerForwardOptions,
  type TransformerPassOptions,
} from './model-inputs.js';
import {
  loadModelParameters,
  memoryOf,
  readModelGradients,
  readModelParameters,
  type ModelMemory,
} from './model-parameters.js';
import type { PassKind } from './given-pass.js';
import { gateGradientsOf, runForward, runPass } from './model-pass.js';
import type { LossAndGradients, TransformerResult } from './transformer-result.js';
import { isFolder, readFolder } from './pretrained-folder.js';
import { bySide, sides, type LayersBySide, type Side } from './sides.js';
import {
  configOf,
  loadCheckpoint,
  openCheckpoint,
  readLater,
  readNow,
  savePretrained,
  storedTensors,
  tensorsByName,
  wholeConfigOf,
  type Reading,
} from './pretrained.js';
import type {
  GgufModelOptions,
  PretrainedConfig,
  PretrainedModelOptions,
  PretrainedOwnOptions,
} from './pretrained-options.js';
import { MadeModel, makeModel, type TransformerOptions } from './transformer-options.js';

/** Which names the parameters get: those of this library, or of the checkpoint that the model was read from. */
export interface ParameterNamesOptions {
  /** Default: `'headwise'`. */
  names?: 'headwise' | 'pretrained' | undefined;
}

function layerSettingsOf(
  layer: AttentionSettings,
  numHiddens: number,
  weights: Precision,
): LayerSettings {
  return {
    ...layer,
    outputSize: numHiddens,
    projection: 'linear',
    pooling: 'dot-product',
    weights,
  };
}

/** Whether the argument is a plain object, that is, options. */
const isPassOptions = (
  given: Optimizer | TransformerPassOptions,
): given is TransformerPassOptions =>
  isObject(given) && Object.getPrototypeOf(given) === Object.prototype;

/** The methods that return a side's layers. */
const attentionNames: Readonly<Record<Side, string>> = {
  self: 'attention',
  cross: 'crossAttention',
  encoder: 'encoderAttention',
};

/**
 * A transformer made of `MultiHeadAttention`: a decoder, an encoder, both, or a vision transformer. Sources: Vaswani et
 * al. 2017; the papers named at each option.
 *
 * ```js
 * const { tensors } = loadSafetensors(bytes);
 * const model = Transformer.fromPretrained({ config, tensors });
 * const { logits, attentionWeights } = model.forward(tokens, { returnWeights: true });
 * const continuation = await model.generate(tokens, { maxNewTokens: 64 });
 * ```
 *
 * Tokens are (batch, length). If they have no batch axis, (length,), the results have none. Parameters, gradients and
 * optimizer states stay in WebAssembly memory.
 */
export class Transformer {
  // Private, because the sizes of WebAssembly allocations depend on them.
  readonly #settings: ModelSettings;
  readonly #layers: LayersBySide;
  readonly #optimizer: Adam;
  readonly #handle: Handle;
  /** The batch axis of the latest forward with `requiresGrad`, if it had none. */
  #pendingAxis: number | undefined;
  /** Config of the checkpoint that the model was read from. */
  #config: PretrainedConfig | undefined;

  /**
   * @throws HeadwiseError `invalid-option` for options out of range or that exclude each other; `unknown-option`,
   *   `not-initialized`, `out-of-memory`
   */
  constructor(options: TransformerOptions) {
    modelsCore(); // Fails before `init`, even if the options are invalid.
    const made = options instanceof MadeModel ? options : makeModel(options);
    this.#handle = new Handle('model', this, made.address, 'deleteModel');
    try {
      const { settings: ofModel, ...layers } = receive(
        modelDescription,
        core().describeModel(made.address),
      );
      this.#settings = ofModel;
      const { numHiddens: size } = ofModel;
      const weights = precisions[ofModel.weights];
      registerTrainable(this, { isModel: true, handle: this.#handle });
      const sizes = { querySize: size, keySize: size, valueSize: size };
      const layersOf = (side: Side): MultiHeadAttention[] =>
        layers[side].map(({ address, settings }) =>
          MultiHeadAttention.of(
            new MadeLayer(
              new PartHandle('layer', this, this.#handle, address as Address),
              layerSettingsOf(settings, size, weights),
              sizes,
            ),
          ),
        );
      this.#layers = bySide(layersOf);
      this.#optimizer = new Adam(this, made.optimizer);
    } catch (error) {
      this.#handle.dispose();
      throw error;
    }
  }

  /**
   * Creates the model of a checkpoint. Families, by `model_type`: gpt2, nanogpt, mingpt (and minGPT's own types, such
   * as gpt-mini), gpt_neo, gpt_neox, llama, mistral, qwen2, qwen3, gemma, gemma2, bert, roberta, distilbert, vit, bart,
   * marian. Prefixes that wrappers add to names are ignored, and norms may be called `gamma` and `beta`. Buffers,
   * poolers and task heads are ignored, too. An unembedding that differs from the token embedding is used, even if the
   * config says that they are tied. A tied embedding may have any of its names. Missing config fields get Transformers'
   * defaults, except numbers of heads, which are required. Shapes are checked before anything is allocated.
   * Source: Hugging Face Transformers 5.
   *
   * A GGUF file, read by `loadGguf`, contains config and tensors. Its architecture must be gpt2, llama, qwen2, qwen3,
   * gemma or gemma2. Quantized tensors become floats, one at a time, and then numbers of the option `weights`.
   * Source: llama.cpp, convert_hf_to_gguf.py.
   *
   * @throws HeadwiseError `invalid-option` that lists config fields that are missing, malformed or not supported;
   *   `invalid-state-dict` that lists at most 12 tensors that are missing, unexpected, of the wrong shape, not of
   *   floats, or different copies of the embedding; `invalid-file` for a GGUF file with unsupported types or without
   *   required metadata; `unknown-option`, `invalid-type`, `not-initialized`, `out-of-memory`
   */
  static fromPretrained(options: PretrainedModelOptions | GgufModelOptions): Transformer;
  /**
   * Creates the model of a GGUF file that is not in memory. Reads one tensor after another, so that memory holds only
   * one of them as floats beside the model.
   *
   * @throws HeadwiseError as for a file in memory, and as reading its tensors
   */
  static fromPretrained(options: GgufModelOptions<GgufFile>): Promise<Transformer>;
  /**
   * Creates the model of a checkpoint's folder, in Node. Reads `config.json`, and `model.safetensors` or
   * `model.safetensors.index.json` with the files that it names.
   *
   * @param folder a path or a `file:` URL
   * @throws HeadwiseError as with `config` and `tensors`; also `invalid-file` for missing or malformed files,
   *   `unsupported` outside of Node
   */
  static fromPretrained(folder: string | URL, options?: PretrainedOwnOptions): Transformer;
  static fromPretrained(
    given: PretrainedModelOptions | GgufModelOptions<Gguf | GgufFile> | string | URL,
    options?: PretrainedOwnOptions,
  ): Transformer | Promise<Transformer> {
    modelsCore();
    const names = ['dropout', 'weights', 'seed', 'optimizer'] as const;
    const { config, tensors, gguf, ...own } = isFolder(given)
      ? { gguf: undefined, ...checkOptions(options, names), ...readFolder(given) }
      : checkOptions<Partial<PretrainedModelOptions & GgufModelOptions<Gguf | GgufFile>>>(given, [
          ...(['config', 'tensors', 'gguf'] as const),
          ...names,
        ]);
    if (gguf !== undefined) {
      if (config !== undefined || tensors !== undefined) {
        fail('invalid-option', 'gguf', 'no config or tensors beside it', 'both');
      }
      const stored = isObject(gguf) ? storedCheckpoint(gguf) : undefined;
      if (stored === undefined) {
        fail('invalid-type', 'gguf', 'what loadGguf returns', show(gguf));
      }
      const reading = (checkpoint: StoredCheckpoint): Reading<Transformer> =>
        Transformer.#read(checkpoint.config, () => storedTensors(checkpoint), own);
      return stored instanceof Promise
        ? stored.then((checkpoint) => readLater(reading(checkpoint)))
        : readNow(reading(stored));
    }
    return readNow(Transformer.#read(config, () => tensorsByName(tensors), own));
  }

  static *#read(
    config: unknown,
    tensorsOf: Parameters<typeof openCheckpoint>[1],
    own: PretrainedOwnOptions,
  ): Reading<Transformer> {
    const opened = yield* openCheckpoint(config, tensorsOf, own);
    const model = Transformer.#of(opened.made);
    try {
      yield* loadCheckpoint(model.#handle, opened);
      model.#config = opened.config;
      return model;
    } catch (error) {
      model.dispose();
      throw error;
    }
  }

  /**
   * A model with copies of the parameters, in evaluation mode.
   *
   * @internal
   */
  static copyOf(model: Transformer): Transformer {
    return Transformer.#of(new MadeModel(core().copyModel(model.#handle.inUse()), {}));
  }

  static #of(made: MadeModel): Transformer {
    return new Transformer(made as unknown as TransformerOptions);
  }

  /**
   * The config and the tensors of full size, with zeros for removed heads.
   *
   * @internal
   */
  static wholeCheckpointOf(model: Transformer): {
    config: Record<string, unknown>;
    tensors: StateDict;
  } {
    const config = wholeConfigOf(model.config());
    return { config, tensors: savePretrained(model.#handle.inUse(), 'whole') };
  }

  /** @internal */
  static hasLogits(model: Transformer): boolean {
    return model.#settings.head;
  }

  /**
   * The layers of a side.
   *
   * @internal
   */
  static layersOf(model: Transformer, side: Side): readonly MultiHeadAttention[] {
    return model.#layers[side];
  }

  /** Size of the vocabulary; 0 for models that read images. */
  get vocabularySize(): number {
    return this.#settings.vocabularySize;
  }

  get maxLength(): number {
    return this.#settings.maxLength;
  }

  /** Size of the residual stream. */
  get numHiddens(): number {
    return this.#settings.numHiddens;
  }

  get numLayers(): number {
    return this.#settings.numLayers;
  }

  /** Number of heads of each layer. */
  get numHeads(): number[] {
    return this.#headsOf('self');
  }

  /** Number of the encoder's layers; 0 without an encoder. */
  get numEncoderLayers(): number {
    return this.#layers.encoder.length;
  }

  get causal(): boolean {
    return this.#settings.causal;
  }

  /** The given seed, or the random one. */
  get seed(): number {
    return this.#settings.seed;
  }

  /** Whether dropout is on. False in a new model. */
  get training(): boolean {
    return this.#layers.self[0]?.training ?? false;
  }

  /** Whether `dispose` was called. */
  get disposed(): boolean {
    return this.#handle.disposed;
  }

  /**
   * The learning rate of the model's own optimizer. Set it for learning rate schedules: a finite number of at least 0.
   */
  get learningRate(): number {
    return this.#optimizer.learningRate;
  }

  set learningRate(value: number) {
    this.#handle.inUse();
    this.#optimizer.learningRate = value;
  }

  /** Switches dropout on (training mode) and returns the model. */
  train(): this {
    return this.#setTraining(true);
  }

  /** Switches dropout off (evaluation mode, as in a new model) and returns the model. */
  eval(): this {
    return this.#setTraining(false);
  }

  /**
   * The self-attention of layer `number`, from 0. It is part of the model and disposed of with it. Its inputs and
   * output are (batch, length, numHiddens).
   *
   * @throws HeadwiseError `invalid-option` if there is no such layer
   */
  attention(number: number): MultiHeadAttention {
    return this.#layer('self', number);
  }

  /** The cross-attention of layer `number`, from 0. As `attention`. */
  crossAttention(number: number): MultiHeadAttention {
    return this.#layer('cross', number);
  }

  /** The self-attention of the encoder's layer `number`, from 0. As `attention`. */
  encoderAttention(number: number): MultiHeadAttention {
    return this.#layer('encoder', number);
  }

  /**
   * Returns hidden states and logits of each position and, if requested, every layer's attention weights.
   *
   * @param input tokens (batch, length), integers from 0 to below `vocabularySize`, at most `maxLength` long, or
   *   `{ embeddings }` in their place. For models that read images: pixels (batch, channels, height, width).
   * @throws HeadwiseError `invalid-shape`, `invalid-value`, `invalid-type`, `invalid-option`, `unknown-option`,
   *   `invalid-cache`, `cache-full`, `disposed`, `out-of-memory`; the model is then unchanged, as after any other call
   *   that throws
   */
  forward<
    const Weights extends true | ChosenWeights,
    const Names extends readonly ActivationName[] | undefined = undefined,
  >(
    input: TokensInput | TensorInput | EmbeddingsInput,
    options: TransformerForwardOptions<Weights, Names> & { returnWeights: Weights },
  ): TransformerResult<Weights, Names>;
  /** The same without attention weights. */
  forward<const Names extends readonly ActivationName[] | undefined = undefined>(
    input: TokensInput | TensorInput | EmbeddingsInput,
    options?: TransformerForwardOptions<false | undefined, Names>,
  ): TransformerResult<false, Names>;
  /** The same with attention weights if `returnWeights` requests them. */
  forward(
    input: TokensInput | TensorInput | EmbeddingsInput,
    options?: TransformerForwardOptions,
  ): TransformerResult;
  forward(
    input: TokensInput | TensorInput | EmbeddingsInput,
    options?: TransformerForwardOptions,
  ): TransformerResult {
    this.#handle.inUse();
    const given = checkOptions(options, forwardOptionNames);
    const inputs = readPass(input, undefined, given, this.#settings.hasPatches);
    // Reading the inputs may have run the caller's code, which may have disposed of the model.
    const result = runForward(this.#passModel(), inputs);
    if (inputs.requiresGrad) {
      this.#pendingAxis = hasBatchAxis(inputs) ? undefined : 0;
    }
    return result;
  }

  /**
   * Computes all gradients of the latest successful forward with `requiresGrad`, and adds those of the parameters to
   * the existing ones, see `gradients`.
   *
   * @param gradients that of `hidden`, (batch, length, numHiddens), or those of `hidden` and `logits` by name
   * @throws HeadwiseError `no-pending-backward` if there was no such forward, its backward was done, or parameters have
   *   changed since; `invalid-shape`, `invalid-type`, `invalid-option`, `disposed`, `out-of-memory`
   */
  backward(gradients: TensorInput | TransformerOutputGradients): TransformerGradients {
    this.#handle.inUse();
    const given = readOutputGradients(gradients);
    return runModelBackward(this.#passModel(), this.#pendingAxis, given);
  }

  /**
   * Cross-entropy of the logits: the mean of −log softmax(logits)[target] over all targets except −1. 0 if there are
   * none.
   *
   * @param targets tokens, or −1 for positions without a loss; of the tokens' shape
   */
  loss(tokens: TokensInput, targets: TokensInput, options?: TransformerPassOptions): number {
    return this.#lossPass('loss', tokens, targets, options).loss;
  }

  /** The loss and its gradients. Adds those of the parameters to the existing ones, see `gradients`. */
  lossAndGradients(
    tokens: TokensInput,
    targets: TokensInput,
    options?: TransformerPassOptions,
  ): LossAndGradients {
    const { loss, results } = this.#lossPass('gradients', tokens, targets, options);
    return { loss, ...gateGradientsOf(this.#passModel(), results) };
  }

  /**
   * One training step, with dropout on: `zeroGradients`, `lossAndGradients`, and a step of the optimizer. Each step
   * restores the layers' modes, so you may stop after any step and resume later.
   *
   * @param optimizer must train this model or layers of it, and nothing else. Default: the model's own, Adam with
   *   `options.optimizer`.
   * @returns the loss before the step
   * @throws HeadwiseError `invalid-option` if the optimizer trains anything but this model, and what `loss` throws;
   *   modes and parameters are then unchanged
   */
  trainStep(
    tokens: TokensInput,
    targets: TokensInput,
    optimizer?: Optimizer,
    options?: TransformerPassOptions,
  ): number;
  /** A training step with the model's own optimizer. */
  trainStep(tokens: TokensInput, targets: TokensInput, options: TransformerPassOptions): number;
  trainStep(
    tokens: TokensInput,
    targets: TokensInput,
    optimizer: Optimizer | TransformerPassOptions = this.#optimizer,
    options?: TransformerPassOptions,
  ): number {
    const own = isPassOptions(optimizer);
    return this.#lossPass('training', tokens, targets, own ? optimizer : options, () =>
      Optimizer.addressOf(own ? this.#optimizer : optimizer),
    ).loss;
  }

  /**
   * Generates at most `maxNewTokens` tokens after the given ones, with a KV cache. Yields to the event loop between
   * tokens. The same seed gives the same tokens.
   *
   * @param tokens the prompt, (length,), at least one token
   * @throws (as a rejection) HeadwiseError `invalid-shape`, `invalid-value`, `invalid-type`, `invalid-option`,
   *   `unknown-option`, `invalid-cache` if heads are pruned meanwhile, `disposed`, `out-of-memory`; what `onToken`
   *   throws; the signal's reason
   */
  generate(
    tokens: TokensInput,
    options: GenerateOptions & { returnWeights?: false | undefined },
  ): Promise<number[]>;
  /** The same, with the weights of each new token. */
  generate(
    tokens: TokensInput,
    options: GenerateOptions & { returnWeights: true | { heads: readonly number[] } },
  ): Promise<GeneratedText>;
  generate(tokens: TokensInput, options: GenerateOptions): Promise<number[] | GeneratedText>;
  async generate(tokens: TokensInput, options: GenerateOptions): Promise<number[] | GeneratedText> {
    this.#handle.inUse();
    const inputs = readGenerate(tokens, options);
    const text = await generateTokens(() => this.#passModel(), inputs);
    return inputs.returnWeights === false ? text.tokens : text;
  }

  /**
   * Applies the final norm and the unembedding to the residual stream before each layer and after the last one.
   * Source: nostalgebraist 2020, "interpreting GPT: the logit lens".
   *
   * @returns (layers + 1, batch, positions, vocabulary), or the chosen layers and positions; without the batch axis if
   *   the tokens have none
   * @throws HeadwiseError what `forward` throws; `invalid-option` for a model without logits
   */
  logitLens(tokens: TokensInput, options?: LogitLensOptions): Tensor {
    const given = this.#options(options, [...passOptionNames, ...lensOptionNames]);
    const lens = readLens(tokens, given, this.#settings.hasPatches);
    return logitLens(this.#passModel(), lens);
  }

  /**
   * What each head and feed-forward layer adds to logit(target) − logit(against) at one position: direct logit
   * attribution, of logits before they are capped. The divisors of the final norm and of the norms of `postNorms` are
   * held fixed. Source: Elhage et al. 2021, A Mathematical Framework for Transformer Circuits.
   *
   * @throws HeadwiseError what `forward` throws; `invalid-option` for a model without logits, or with norms after the
   *   residual sum (`normFirst: false`), where each norm rescales what all earlier parts have added
   */
  attributeLogits(tokens: TokensInput, options: AttributionOptions): LogitAttribution {
    const given = this.#options(options, [...passOptionNames, ...attributionOptionNames]);
    const attribution = readAttribution(tokens, given, this.#settings.hasPatches);
    return attributeLogits(this.#passModel(), attribution);
  }

  /**
   * Takes one head at a time from the run on `clean`, puts it into the run on `corrupted`, and returns the metric for
   * each. Only the head's layer and those after it run again. One pass runs several heads, up to 256 rows and 16
   * million logits. Yields to the event loop between heads. Source: Wang et al. 2022, Interpretability in the Wild;
   * Meng et al. 2022, causal tracing.
   *
   * @param corrupted of the shape of `clean`
   * @returns (layers, heads), by key-value head for `keys` and `values`; NaN for heads that a pruned layer lacks
   * @throws (as a rejection) HeadwiseError what `forward` throws; `invalid-option` for dropout in training mode, or if
   *   the model is changed meanwhile; `invalid-type` for a metric that is not a number; what `metric` and `onProgress`
   *   throw; the signal's reason
   */
  async patchHeads(
    clean: TokensInput,
    corrupted: TokensInput,
    options: PatchHeadsOptions,
  ): Promise<Tensor> {
    const given = this.#options(options, [...passOptionNames, ...patchHeadsOptionNames]);
    const patching = readPatching(clean, corrupted, given, this.#settings.hasPatches);
    return patchHeads(() => this.#passModel(), patching);
  }

  /**
   * Creates empty KV caches of all layers of a causal model.
   *
   * @throws HeadwiseError `invalid-option` for a model that is not causal; `unknown-option`, `disposed`,
   *   `out-of-memory`
   */
  createCache(options: CacheOptions): ModelCache {
    this.#handle.inUse();
    const given = readCacheOptions(options);
    const { batchSize, maxLength } = given;
    const precision = numberOfPrecision(given);
    const model = this.#handle.inUse();
    return new ModelCache(core().newModelCache(model, batchSize, maxLength, precision), given);
  }

  /**
   * Returns copies of the sums of the parameters' gradients since the last `zeroGradients`, with the names and shapes
   * of `stateDict`.
   */
  gradients(options?: ParameterNamesOptions): StateDict {
    return this.#namedTensors(options, 'gradient');
  }

  /** Sets the parameters' gradients to 0. */
  zeroGradients(): void {
    core().zeroModelGradients(this.#handle.inUse());
  }

  /**
   * Memory of the parameters and their gradients. Weights of linear maps take 4 bytes each in float32, and 8 once
   * they have gradients; 6 in float16; in int8 1, and 4 for each output; in int4 a half, and 4 for each 32 weights.
   * All other parameters take 4 bytes.
   */
  memory(): ModelMemory {
    return memoryOf(this.#handle.inUse());
  }

  /**
   * Returns copies of the parameters by name:
   * - `embedding.weight` (vocabularySize, numHiddens), `position.weight`, `segment.weight`, `embedding_norm.weight` and
   *   `.bias` (numHiddens,)
   * - in layer 0: `layers.0.attention.` and a name of the layer's `stateDict`, `layers.0.norm.weight`; the same with
   *   `cross_attention.` and `cross_norm.`; `layers.0.ffn_norm.weight`, `layers.0.ffn.dense1.weight` (ffnHiddens,
   *   numHiddens), `layers.0.ffn.dense2.weight`, `layers.0.ffn.gate.weight`
   * - `norm.weight` of the last norm, `unembedding.weight` (vocabularySize, numHiddens) unless it is tied,
   *   `unembedding.bias`
   * - in an encoder, the same names with the prefix `encoder.`
   * - in a model that reads images: `patches.weight` (numHiddens, channels, patchSize, patchSize), `patches.bias`,
   *   `class_token` (numHiddens,)
   *
   * @throws HeadwiseError `invalid-option` for pretrained names if the model was not read from a checkpoint; `disposed`
   */
  stateDict(options?: ParameterNamesOptions): StateDict {
    return this.#namedTensors(options, 'values');
  }

  /**
   * Loads all parameters, or none.
   *
   * @throws HeadwiseError `invalid-state-dict` that lists every tensor that is missing, unexpected or of the wrong
   *   shape; `invalid-type`, `disposed`
   */
  loadStateDict(dict: TensorsByName): void {
    this.#handle.inUse();
    loadModelParameters(() => this.#handle.inUse(), dict);
  }

  /**
   * Returns the `config.json` of the checkpoint that the model was read from, brought up to date: `tie_word_embeddings`
   * is false if the unembedding has numbers of its own; `pruned_heads`, `cross_pruned_heads` and `encoder_pruned_heads`
   * list removed heads by layer, numbered as before pruning. Together with `stateDict({ names: 'pretrained' })` it is a
   * checkpoint for `fromPretrained`. Source: Hugging Face Transformers, `pruned_heads`.
   *
   * @throws HeadwiseError `invalid-option` if the model was not read from a checkpoint; `disposed`
   */
  config(): Record<string, unknown> {
    const model = this.#handle.inUse();
    if (this.#config === undefined) {
      fail('invalid-option', 'config', 'a model that was read from a checkpoint', 'another');
    }
    return configOf(model, this.#config);
  }

  /**
   * Removes heads for good, as `MultiHeadAttention.pruneHeads` does. An error in one layer leaves all unchanged.
   * Source: Hugging Face Transformers, `prune_heads`.
   *
   * @param heads by the number of their layer: `{ 0: [1, 3], 1: [0] }`
   * @param options `side`: which attention layers. Default: `'self'`.
   * @throws HeadwiseError `invalid-option` for layers and heads that do not exist, and for all heads of a layer;
   *   `invalid-type`, `unknown-option`, `disposed`, `out-of-memory`
   */
  pruneHeads(
    heads: Readonly<Record<number, readonly number[]>>,
    options?: { side?: Side | undefined },
  ): void {
    this.#handle.inUse();
    const side = checkWord('side', checkOptions(options, ['side']).side, sides);
    const attention = this.#layers[side];
    const removed: (readonly number[])[] = attention.map(() => []);
    const known = attention.map((_, layer) => String(layer));
    for (const [name, list] of entriesOf('heads', heads, 'lists of heads')) {
      const layer = known.indexOf(name);
      if (layer < 0) {
        const expected = known.length > 0 ? `layers from 0 to ${known.length - 1}` : 'no layers';
        fail('invalid-option', 'heads', expected, name);
      }
      const settings = MultiHeadAttention.settingsOf(attention[layer]);
      removed[layer] = readHeads(list, settings, `heads[${name}]`);
    }
    const model = this.#handle.inUse();
    const numbers = Float64Array.from(removed.flat());
    const [counts, address] = reserve(removed.length, 2 * numbers.length);
    writeIntegers(
      counts,
      removed.map(({ length }) => length),
    );
    writeDoubles(address, numbers);
    commit(() => {
      core().pruneModel(model, sides.indexOf(side), counts, address);
      removed.forEach(({ length: removedHeads }, layer) => {
        MultiHeadAttention.followPruning(attention[layer], removedHeads);
      });
    });
  }

  /**
   * Frees the model's WebAssembly memory. Using the model afterwards is an error; calling `dispose` again does nothing.
   */
  dispose(): void {
    this.#optimizer.dispose();
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
   * The text that Node's `console.log` prints: sizes and the layers' attention, as PyTorch prints a module.
   *
   * @internal
   */
  [inspect](): string {
    const { vocabularySize, maxLength, numHiddens, numLayers } = this.#settings;
    const runs: { side: Side; first: number; count: number; text: string }[] = [];
    for (const side of sides) {
      for (const [first, layer] of this.#layers[side].entries()) {
        const text = layer[inspect]();
        const run = runs.at(-1);
        if (run?.side === side && run.text === text) {
          run.count++;
        } else {
          runs.push({ side, first, count: 1, text });
        }
      }
    }
    return printed(
      this.constructor.name,
      { vocabularySize, maxLength, numHiddens, numLayers },
      runs.map(({ side, first, count, text }) => [
        `${attentionNames[side]} ${first}${count > 1 ? `-${first + count - 1}` : ''}`,
        count > 1 ? `${count} x ${text}` : text,
      ]),
    );
  }

  #headsOf(side: Side): number[] {
    return this.#layers[side].map(({ numHeads }) => numHeads);
  }

  #layer(side: Side, number: number): MultiHeadAttention {
    const layers = this.#layers[side];
    const layer = layers.at(isIntegerIn(number, 0) ? number : Infinity);
    if (layer === undefined) {
      const expected = layers.length > 0 ? `an integer from 0 to ${layers.length - 1}` : 'no layer';
      failOption('number', expected, number);
    }
    return layer;
  }

  #options<Options extends object>(
    options: Options | undefined,
    names: readonly (keyof Options & string)[],
  ): Options {
    this.#handle.inUse();
    return checkOptions(options, names) as Options;
  }

  #passModel(): PassModel {
    return {
      model: this.#handle.inUse(),
      settings: this.#settings,
      layers: this.#layers,
    };
  }

  #lossPass(
    kind: PassKind,
    tokens: TokensInput,
    targets: TokensInput,
    options: TransformerPassOptions | undefined,
    optimizerOf?: () => Address,
  ): ReturnType<typeof runPass> {
    this.#handle.inUse();
    const given = checkOptions(options, passOptionNames);
    const inputs = readPass(tokens, [targets], given, this.#settings.hasPatches);
    const optimizer = optimizerOf?.();
    return runPass(this.#passModel(), inputs, kind, { optimizer });
  }

  #namedTensors(
    options: ParameterNamesOptions | undefined,
    kind: 'values' | 'gradient',
  ): StateDict {
    this.#handle.inUse();
    const names = checkWord('names', checkOptions(options, ['names']).names, [
      'headwise',
      'pretrained',
    ]);
    const model = this.#handle.inUse();
    if (names === 'headwise') {
      return kind === 'gradient' ? readModelGradients(model) : readModelParameters(model);
    }
    if (this.#config === undefined) {
      const expected = "'headwise' for a model that no checkpoint was read into";
      fail('invalid-option', 'names', expected, "'pretrained'");
    }
    return savePretrained(model, kind === 'gradient' ? 'gradients' : 'values');
  }

  #setTraining(training: boolean): this {
    this.#handle.inUse();
    for (const layer of sides.flatMap((side) => this.#layers[side])) {
      if (training) {
        layer.train();
      } else {
        layer.eval();
      }
    }
    return this;
  }
}
