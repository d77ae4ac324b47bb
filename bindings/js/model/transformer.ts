/// <reference lib="esnext.disposable" preserve="true" />
import {
  headLists,
  modelDescription,
  type AttentionDescription,
  type ModelDescription,
} from 'headwise-records';
import {
  checkCacheOptions,
  numberOfPrecision,
  type CacheOptions,
} from '../layer/key-value-cache.js';
import { LayerOfModel, MultiHeadAttention } from '../layer/multi-head-attention.js';
import type { CaptureName } from '../layer/capture.js';
import type { ChosenWeights } from '../layer/chosen-weights.js';
import type { LayerSettings } from '../layer/layer-options.js';
import type { StateDict } from '../layer/parameters.js';
import { inspect, printed } from '../layer/printed.js';
import { checkHeads, readHeads } from '../layer/pruning.js';
import { fail, show } from '../runtime/errors.js';
import { completed, Handle, PartHandle } from '../runtime/handle.js';
import type { Address } from '../runtime/memory.js';
import { modelsCore } from '../runtime/models-build.js';
import { checkOptions, checkWord, entriesOf, isIntegerIn, isObject } from '../runtime/options.js';
import type { Precision } from '../runtime/precisions.js';
import { receive, send } from '../runtime/records.js';
import { commit, core } from '../runtime/wasm.js';
import type { TensorInput, TokensInput } from '../tensor/inputs.js';
import type { TensorsByName } from '../tensor/integers.js';
import { Adam, checkAdamOptions, Optimizer } from '../training/optimizers.js';
import { registerTrainable } from '../training/trainables.js';
import { checkGenerate, generateTokens, type GenerateOptions } from './generate.js';
import {
  checkPendingModel,
  readOutputGradients,
  runModelBackward,
  type PendingPass,
  type TransformerGradients,
  type TransformerOutputGradients,
} from './model-backward.js';
import { ModelCache } from './model-cache.js';
import {
  bySide,
  checkPass,
  forwardOptionNames,
  passOptionNames,
  readPass,
  sides,
  type LayersBySide,
  type PassModel,
  type Side,
  type TransformerForwardOptions,
  type TransformerPassOptions,
} from './model-inputs.js';
import { loadModelParameters, readModelParameters } from './model-parameters.js';
import {
  plainPass,
  runPass,
  type LossAndGradients,
  type PassKind,
  type PassResult,
  type TransformerResult,
} from './model-pass.js';
import { isFolder, readFolder } from './pretrained-folder.js';
import { configOf, loadCheckpoint, planCheckpoint, savePretrained } from './pretrained.js';
import type { PretrainedConfig, PretrainedModelOptions } from './pretrained-options.js';
import {
  checkTransformerOptions,
  newModel,
  type TransformerOptions,
  type TransformerSettings,
} from './transformer-options.js';

/** Under which names parameters are given: those of this library, or of the checkpoint that the model was read from. */
export interface ParameterNamesOptions {
  /** Default: `'headwise'`. */
  names?: 'headwise' | 'pretrained' | undefined;
}

function settingsOf(
  layer: AttentionDescription,
  numHiddens: number,
  weights: Precision,
): LayerSettings {
  const { address, rotarySize, rotaryBase, rotaryInterleaved, ...settings } = layer;
  return {
    ...settings,
    outputSize: numHiddens,
    outputProjection: true,
    projection: 'linear',
    pooling: 'dot-product',
    attentionHiddens: layer.headSize,
    rotary:
      rotarySize > 0
        ? { base: rotaryBase, size: rotarySize, interleaved: rotaryInterleaved }
        : undefined,
    biasKv: false,
    zeroAttention: false,
    weights,
  };
}

/** An object as it is written in a call, rather than one of a class. */
const isPassOptions = (
  given: Optimizer | TransformerPassOptions,
): given is TransformerPassOptions =>
  isObject(given) && Object.getPrototypeOf(given) === Object.prototype;

/** The methods that give a side's layers. */
const attentionNames: Readonly<Record<Side, string>> = {
  self: 'attention',
  cross: 'crossAttention',
  encoder: 'encoderAttention',
};

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/**
 * A transformer made of `MultiHeadAttention`: decoder, encoder, encoder–decoder, or a reader of images. Sources: Vaswani
 * et al. 2017, and the papers named at each option.
 *
 * ```js
 * const { tensors } = loadSafetensors(bytes);
 * const model = Transformer.fromPretrained({ config, tensors });
 * const { logits, attentionWeights } = model.forward(tokens, { returnWeights: true });
 * const continuation = await model.generate(tokens, { maxNewTokens: 64 });
 * ```
 *
 * Tokens are (batch, length); those without a batch axis, (length), are answered without one. Parameters, gradients and
 * what optimizers keep stay in WebAssembly memory.
 */
export class Transformer {
  // Private, since the sizes of WebAssembly memory follow from them.
  readonly #settings: TransformerSettings;
  readonly #layers: LayersBySide;
  /** Heads of each layer before any was removed. */
  readonly #wholeHeads: Readonly<Record<Side, readonly number[]>>;
  readonly #optimizer: Adam;
  readonly #handle: Handle;
  /** Of the latest forward with gradients. */
  #pending: PendingPass = { batchAxis: [], batch: 0, length: 0 };
  /** Of the checkpoint that it was read from. */
  #config: PretrainedConfig | undefined;

  /**
   * @throws HeadwiseError `invalid-option` for options outside their range or that exclude each other;
   *   `unknown-option`, `not-initialized`, `out-of-memory`
   */
  constructor(options: TransformerOptions) {
    modelsCore(); // Fails before `init`, whatever the options are.
    const [settings, { optimizer }] = checkTransformerOptions(options);
    const adamOptions = checkAdamOptions(optimizer, 'optimizer');
    this.#settings = settings;
    this.#handle = new Handle('model', this, newModel(settings), 'deleteModel');
    registerTrainable(this, {
      ...{ isModel: true, handle: this.#handle },
      weights: settings.layer.weights,
    });
    try {
      const layers = this.#describe();
      const layersOf = (side: Side): MultiHeadAttention[] =>
        layers[side].map((layer) =>
          MultiHeadAttention.ofModel(
            new LayerOfModel(
              new PartHandle('layer', this, this.#handle, layer.address as Address),
              settingsOf(layer, settings.numHiddens, settings.layer.weights),
              settings.numHiddens,
            ),
          ),
        );
      this.#layers = bySide(layersOf);
      this.#wholeHeads = bySide((side) => this.#headsOf(side));
      this.#optimizer = new Adam(this, adamOptions);
    } catch (error) {
      this.#handle.dispose();
      throw error;
    }
  }

  /**
   * The model of a checkpoint of these families, by its `model_type`: gpt2, nanogpt, mingpt (and minGPT's own, such as
   * gpt-mini), llama, mistral, qwen2, bert, roberta, distilbert, vit, bart, marian. Parts of names that wrappers add are
   * left out, wherever they stand; `gamma` and `beta` of norms are read; buffers, poolers and task heads are left alone.
   * An unembedding of other numbers than the token embedding is used, whatever the config says of tying; a tied one may
   * have any of its names. Fields that the config leaves out are Transformers' defaults, but numbers of heads are needed.
   * Source: Hugging Face Transformers 5.
   *
   * @throws HeadwiseError `invalid-option` that names every field of the config that is missing, malformed or asks for
   *   what there is not; `invalid-state-dict` that names tensors that are missing, unexpected, of the wrong shape or of
   *   integers, and copies of the embedding that differ, at most 12 of them; `unknown-option`, `invalid-type`,
   *   `not-initialized`, `out-of-memory`. Nothing is allocated for a model that the tensors do not fit.
   */
  static fromPretrained(options: PretrainedModelOptions): Transformer;
  /**
   * The same of a folder, in Node: its `config.json` and `model.safetensors`, or `model.safetensors.index.json` and the
   * files that it names.
   *
   * @param folder a path or a `file:` URL
   * @throws HeadwiseError as above; `invalid-file` for files that are missing or malformed, `unsupported` outside of Node
   */
  static fromPretrained(
    folder: string | URL,
    options?: Omit<PretrainedModelOptions, 'config' | 'tensors'>,
  ): Transformer;
  static fromPretrained(
    given: PretrainedModelOptions | string | URL,
    options?: Omit<PretrainedModelOptions, 'config' | 'tensors'>,
  ): Transformer {
    modelsCore();
    const names = ['dropout', 'weights', 'seed', 'optimizer'] as const;
    const { config, tensors, ...own } = isFolder(given)
      ? { ...checkOptions(options, names), ...readFolder(given) }
      : checkOptions<PretrainedModelOptions>(given, ['config', 'tensors', ...names]);
    const plan = planCheckpoint(config, tensors);
    const whole = new Transformer({ ...plan.options, ...own });
    return completed(whole, (model) => {
      loadCheckpoint(model.#handle.inUse(), plan);
      model.#followPruning();
      model.#config = plan.config;
    });
  }

  /**
   * A model of the same parameters, in evaluation mode.
   *
   * @internal
   */
  static copyOf(model: Transformer): Transformer {
    return completed(new Transformer(model.#settings.given), (copy) => {
      for (const side of sides) {
        // Which heads go does not matter: what is left is overwritten.
        const whole = model.#wholeHeads[side];
        copy.#prune(
          side,
          model.#headsOf(side).map((left, layer) => range(whole[layer] - left)),
        );
      }
      copy.loadStateDict(model.stateDict());
    });
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

  /** 0 of models that read images. */
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

  /** Heads of each layer. */
  get numHeads(): number[] {
    return this.#headsOf('self');
  }

  /** Layers of the encoder; 0 without. */
  get numEncoderLayers(): number {
    return this.#layers.encoder.length;
  }

  get causal(): boolean {
    return this.#settings.causal;
  }

  /** The seed given, or the one that was drawn. */
  get seed(): number {
    return this.#settings.seed;
  }

  /** Whether dropout acts; a new model is in `eval` mode. */
  get training(): boolean {
    return this.#layers.self[0]?.training ?? false;
  }

  /** Whether `dispose` was called. */
  get disposed(): boolean {
    return this.#handle.disposed;
  }

  /** The learning rate of `trainStep`'s own optimizer, which schedules may change: a finite number from 0 on. */
  get learningRate(): number {
    return this.#optimizer.learningRate;
  }

  set learningRate(value: number) {
    this.#handle.inUse();
    this.#optimizer.learningRate = value;
  }

  /** Switches dropout on and returns the model. */
  train(): this {
    return this.#setTraining(true);
  }

  /** Switches dropout off and returns the model. */
  eval(): this {
    return this.#setTraining(false);
  }

  /**
   * The self-attention of layer `number`, from 0 on: part of the model, which it looks into, and disposed of with it.
   *
   * @throws HeadwiseError `invalid-option` for a layer that there is not
   */
  attention(number: number): MultiHeadAttention {
    return this.#layer('self', number);
  }

  /** The attention of layer `number` to the encoder's output, likewise. */
  crossAttention(number: number): MultiHeadAttention {
    return this.#layer('cross', number);
  }

  /** The self-attention of the encoder's layer `number`, likewise. */
  encoderAttention(number: number): MultiHeadAttention {
    return this.#layer('encoder', number);
  }

  /**
   * Hidden states and logits of each position and, on request, every layer's attention weights.
   *
   * @param input tokens (batch, length), from 0 to below `vocabularySize` and at most `maxLength` long; of models that
   *   read images, pixels (batch, channels, height, width)
   * @throws HeadwiseError `invalid-shape`, `invalid-value`, `invalid-type`, `invalid-option`, `unknown-option`,
   *   `invalid-cache`, `cache-full`, `disposed`, `out-of-memory`; the model is then as it was, and so with every other
   *   call
   */
  forward<
    const Weights extends true | ChosenWeights,
    const Names extends readonly CaptureName[] | undefined = undefined,
  >(
    input: TokensInput | TensorInput,
    options: TransformerForwardOptions<Weights, Names> & { returnWeights: Weights },
  ): TransformerResult<Weights, Names>;
  /** The same without attention weights. */
  forward<const Names extends readonly CaptureName[] | undefined = undefined>(
    input: TokensInput | TensorInput,
    options?: TransformerForwardOptions<false | undefined, Names>,
  ): TransformerResult<false, Names>;
  /** The same with attention weights if `returnWeights` asks for any. */
  forward(input: TokensInput | TensorInput, options?: TransformerForwardOptions): TransformerResult;
  forward(
    input: TokensInput | TensorInput,
    options?: TransformerForwardOptions,
  ): TransformerResult {
    this.#handle.inUse();
    const given = checkOptions(options, forwardOptionNames);
    const inputs = readPass(input, undefined, given, this.#settings.hasPatches);
    // Reading may have run code of the caller's.
    const model = this.#passModel();
    const pass = checkPass(model, inputs);
    return commit(() => {
      const { result } = runPass(model, pass, { kind: 'forward', ...inputs });
      if (inputs.requiresGrad) {
        const { batchAxis, batch, length } = pass;
        this.#pending = { batchAxis, batch, length };
      }
      return result;
    });
  }

  /**
   * The gradients of everything, for the latest forward that succeeded with `requiresGrad`. Those of the parameters are
   * added to those there are, see `gradients`.
   *
   * @param gradients that of `hidden`, (batch, length, numHiddens), or those of `hidden` and `logits` by name
   * @throws HeadwiseError `no-pending-backward` where there was no such forward, its backward was done, or parameters
   *   were changed since; `invalid-shape`, `invalid-type`, `invalid-option`, `disposed`, `out-of-memory`
   */
  backward(gradients: TensorInput | TransformerOutputGradients): TransformerGradients {
    checkPendingModel(this.#handle.inUse());
    const given = readOutputGradients(gradients);
    const model = this.#passModel();
    checkPendingModel(model.model);
    return runModelBackward(model, this.#pending, given);
  }

  /**
   * The mean of −log softmax(logits)[target] over all targets that are not −1; 0 without any.
   *
   * @param targets of the tokens' shape: tokens or −1, which asks nothing
   */
  loss(tokens: TokensInput, targets: TokensInput, options?: TransformerPassOptions): number {
    return this.#lossPass('loss', tokens, targets, options).loss;
  }

  /** The loss and its gradients. Those of the parameters are added to those there are, see `gradients`. */
  lossAndGradients(
    tokens: TokensInput,
    targets: TokensInput,
    options?: TransformerPassOptions,
  ): LossAndGradients {
    const { loss, gateGradients } = this.#lossPass('gradients', tokens, targets, options);
    return { loss, ...gateGradients };
  }

  /**
   * One step of training, in training mode: gradients made zero, `lossAndGradients`, a step of the optimizer. Between
   * steps training may stop, and go on, wherever it likes.
   *
   * @param optimizer one that trains this model, or layers of it, and nothing else. Default: the model's own, Adam by
   *   `options.optimizer`
   * @returns the loss before the step
   * @throws HeadwiseError `invalid-option` for an optimizer of another model or layer, and what `loss` throws; modes and
   *   parameters are then as they were
   */
  trainStep(
    tokens: TokensInput,
    targets: TokensInput,
    optimizer?: Optimizer,
    options?: TransformerPassOptions,
  ): number;
  /** A step with the model's own optimizer. */
  trainStep(tokens: TokensInput, targets: TokensInput, options: TransformerPassOptions): number;
  trainStep(
    tokens: TokensInput,
    targets: TokensInput,
    optimizer: Optimizer | TransformerPassOptions = this.#optimizer,
    options?: TransformerPassOptions,
  ): number {
    const own = isPassOptions(optimizer);
    return this.#lossPass('training', tokens, targets, own ? optimizer : options, () =>
      Optimizer.addressOf(
        own ? this.#optimizer : optimizer,
        new Set([this, ...sides.flatMap((side) => this.#layers[side])]),
      ),
    ).loss;
  }

  /**
   * The tokens that follow, at most `maxNewTokens`, with a KV cache. Between tokens the event loop goes on; the same seed
   * gives the same tokens.
   *
   * @param tokens (length,), at least one
   * @throws (as a rejection) HeadwiseError `invalid-shape`, `invalid-value`, `invalid-type`, `invalid-option`,
   *   `unknown-option`, `invalid-cache` where heads are pruned meanwhile, `disposed`, `out-of-memory`; what `onToken`
   *   throws; the signal's reason
   */
  async generate(tokens: TokensInput, options: GenerateOptions): Promise<number[]> {
    this.#handle.inUse();
    const checked = checkGenerate(tokens, options, this.#settings);
    return generateTokens(() => this.#passModel(), checked);
  }

  /**
   * Empty caches of all layers of a causal model.
   *
   * @throws HeadwiseError `invalid-option` for a model that is not causal; `unknown-option`, `disposed`, `out-of-memory`
   */
  createCache(options: CacheOptions): ModelCache {
    this.#handle.inUse();
    const checked = checkCacheOptions(options);
    if (!this.#settings.causal) {
      fail('invalid-option', 'createCache', 'a causal model', 'another');
    }
    const model = this.#passModel();
    const { batchSize, maxLength } = checked;
    const address = core().newModelCache(
      model.model,
      batchSize,
      maxLength,
      numberOfPrecision(checked),
    );
    return new ModelCache(model, address, checked);
  }

  /**
   * Sums of the parameters' gradients since the last `zeroGradients`, under the names and in the shapes of `stateDict`;
   * copies of the caller's own.
   */
  gradients(options?: ParameterNamesOptions): StateDict {
    return this.#namedTensors(options, 'gradient');
  }

  /** Makes the gradients of the parameters 0. */
  zeroGradients(): void {
    core().zeroModelGradients(this.#handle.inUse());
  }

  /**
   * The parameters by name, copies of the caller's own: `embedding.weight` (vocabularySize, numHiddens),
   * `position.weight`, `segment.weight`, `embedding_norm.weight` and `.bias` (numHiddens,); of each layer
   * `layers.0.attention.` and a name of the layer's `stateDict`, `layers.0.norm.weight`, likewise `cross_attention.` and
   * `cross_norm.`; of its feed-forward layer `layers.0.ffn_norm.weight`, `layers.0.ffn.dense1.weight` (ffnHiddens,
   * numHiddens), `layers.0.ffn.dense2.weight`, `layers.0.ffn.gate.weight`; `norm.weight` of the last norm,
   * `unembedding.weight` (vocabularySize, numHiddens) unless it is tied, `unembedding.bias`; the same of an encoder with
   * `encoder.` before; of models that read images `patches.weight` (numHiddens, channels, patchSize, patchSize),
   * `patches.bias` and `class_token` (numHiddens,).
   *
   * @throws HeadwiseError `invalid-option` for names of a checkpoint where the model was read from none; `disposed`
   */
  stateDict(options?: ParameterNamesOptions): StateDict {
    return this.#namedTensors(options, 'values');
  }

  /**
   * Takes over the parameters in `dict`, all or none.
   *
   * @throws HeadwiseError `invalid-state-dict` that lists every name that is missing, unexpected or of the wrong shape;
   *   `invalid-type`, `disposed`
   */
  loadStateDict(dict: TensorsByName): void {
    this.#handle.inUse();
    loadModelParameters(() => this.#handle.inUse(), dict);
  }

  /**
   * The config of the checkpoint that the model was read from. `tie_word_embeddings` is false if the tensors had an
   * unembedding of their own. The heads that were pruned since are in `pruned_heads`, by
   * layer and as the whole model counts them, which `fromPretrained` reads; `cross_pruned_heads` and
   * `encoder_pruned_heads` likewise. Source: Hugging Face Transformers, `pruned_heads`.
   *
   * @throws HeadwiseError `invalid-option` for a model that was read from no checkpoint, `disposed`
   */
  config(): Record<string, unknown> {
    const model = this.#handle.inUse();
    if (this.#config === undefined) {
      fail('invalid-option', 'config', 'a model that was read from a checkpoint', 'another');
    }
    return configOf(model, this.#config);
  }

  /**
   * Removes heads of layers for good, as `pruneHeads` of a layer does; what is wrong with one layer leaves all as they
   * were. Source: Hugging Face Transformers, `prune_heads`.
   *
   * @param heads by the number of their layer: `{ 0: [1, 3], 1: [0] }`
   * @param options whose heads: the layers' own, of cross-attention, or of the encoder. Default: `{ side: 'self' }`
   * @throws HeadwiseError `invalid-option` for layers and heads that the model does not have, and for all heads of a
   *   layer; `invalid-type`, `unknown-option`, `disposed`, `out-of-memory`
   */
  pruneHeads(
    heads: Readonly<Record<number, readonly number[]>>,
    options?: { side?: Side | undefined },
  ): void {
    this.#handle.inUse();
    const side = checkWord('side', checkOptions(options, ['side']).side, sides);
    const entries = entriesOf('heads', heads, 'lists of heads');
    const argument = (layer: string | number): string => `heads[${layer}]`;
    const layers = this.#layers[side];
    const known = layers.map((_, layer) => String(layer));
    const given = new Map(
      entries.map(([name, list]) => [
        name,
        known.includes(name) ? readHeads(list, argument(name)) : new Set(),
      ]),
    );
    this.#handle.inUse();
    const checked = layers.map((attention, layer) => {
      const list = given.get(String(layer)) ?? new Set();
      given.delete(String(layer));
      return checkHeads(list, MultiHeadAttention.settingsOf(attention), argument(layer));
    });
    for (const name of given.keys()) {
      const expected = layers.length > 0 ? `layers from 0 to ${layers.length - 1}` : 'no layers';
      fail('invalid-option', 'heads', expected, name);
    }
    this.#prune(side, checked);
  }

  /** Gives the model's WebAssembly memory back. Using the model afterwards is an error; disposing again is not. */
  dispose(): void {
    this.#optimizer.dispose();
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
   * What Node's `console.log` prints: sizes and the layers' attention, as PyTorch prints a module.
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

  #describe(): ModelDescription {
    return receive(modelDescription, core().describeModel(this.#handle.inUse()));
  }

  #headsOf(side: Side): number[] {
    return this.#layers[side].map(({ numHeads }) => numHeads);
  }

  #layer(side: Side, number: number): MultiHeadAttention {
    const layers = this.#layers[side];
    const layer = layers.at(isIntegerIn(number, 0) ? number : Infinity);
    if (layer === undefined) {
      const expected = layers.length > 0 ? `an integer from 0 to ${layers.length - 1}` : 'no layer';
      fail('invalid-option', 'number', expected, show(number));
    }
    return layer;
  }

  #passModel(): PassModel {
    return {
      model: this.#handle.inUse(),
      owner: this,
      settings: this.#settings,
      layers: this.#layers,
    };
  }

  #lossPass(
    kind: Exclude<PassKind, 'forward'>,
    tokens: TokensInput,
    targets: TokensInput,
    options: TransformerPassOptions | undefined,
    optimizerOf?: () => Address,
  ): PassResult {
    this.#handle.inUse();
    const given = checkOptions(options, passOptionNames);
    const inputs = readPass(tokens, [targets], given, this.#settings.hasPatches);
    const optimizer = optimizerOf?.();
    const model = this.#passModel();
    const pass = checkPass(model, inputs);
    return commit(() =>
      runPass(model, pass, { kind, ...plainPass, ...(optimizer && { optimizer }) }),
    );
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
      return readModelParameters(model, kind);
    }
    if (this.#config === undefined) {
      const expected = "'headwise' for a model that no checkpoint was read into";
      fail('invalid-option', 'names', expected, "'pretrained'");
    }
    return savePretrained(model, kind === 'gradient');
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

  /** Removes checked heads from every layer of a side, or, if there is no room, from none. */
  #prune(side: Side, heads: readonly (readonly number[])[]): void {
    const model = this.#handle.inUse();
    const layers = heads.map((list) => ({ heads: list }));
    const request = send(headLists, { side: sides.indexOf(side), layers });
    commit(() => {
      core().pruneModel(model, request);
      heads.forEach(({ length: removedHeads }, i) => {
        MultiHeadAttention.followModel(this.#layers[side][i], { removedHeads });
      });
    });
  }

  /** Has the layers know how many heads a checkpoint has left them. */
  #followPruning(): void {
    const described = this.#describe();
    for (const side of sides) {
      this.#layers[side].forEach((layer, i) => {
        const removedHeads = layer.numHeads - described[side][i].numHeads;
        MultiHeadAttention.followModel(layer, { removedHeads });
      });
    }
  }
}
