/// <reference lib="esnext.disposable" preserve="true" />
import { headLists } from 'headwise-records';
import { toDict } from '../layer/from-state-dict.js';
import type { LayerSettings } from '../layer/layer-options.js';
import { checkStateDict, readTensors, writeTensors, type StateDict } from '../layer/parameters.js';
import { checkHeads, readHeads, withoutHeads } from '../layer/pruning.js';
import type { WithoutWeights, WithWeights } from '../layer/results.js';
import { fail } from '../runtime/errors.js';
import { Handle } from '../runtime/handle.js';
import { modelsCore } from '../runtime/models-build.js';
import { checkBoolean, checkOptions, entriesOf } from '../runtime/options.js';
import { send } from '../runtime/records.js';
import { core } from '../runtime/wasm.js';
import type { TokensInput } from '../tensor/inputs.js';
import type { TensorsByName } from '../tensor/integers.js';
import { Adam, checkAdamOptions, Optimizer } from '../training/optimizers.js';
import { registerTrainable } from '../training/trainables.js';
import {
  checkTransformerOptions,
  newModel,
  type AttentionOnlyTransformerOptions,
  type TransformerSettings,
} from './transformer-options.js';
import { transformerParameters, type ModelParameter } from './transformer-parameters.js';
import {
  checkPass,
  readPass,
  runPass,
  type HeadGatesOptions,
  type LossAndGradients,
  type PassModel,
  type TransformerForwardOptions,
  type TransformerResult,
} from './transformer-pass.js';

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/**
 * Token embedding and positions, layers of residual multi-head attention, unembedding, and no feed-forward layers:
 * x ← x + attention(x), or x + attention(norm(x)). Source: Elhage et al. 2021, A Mathematical Framework for Transformer
 * Circuits.
 *
 * ```js
 * const task = new InductionTask({ numSymbols: 16, length: 20, minPeriod: 4, maxPeriod: 10 });
 * const model = new AttentionOnlyTransformer({
 *   ...{ vocabularySize: task.vocabularySize, maxLength: task.length },
 *   ...{ numHiddens: 32, numHeads: 2, numLayers: 2 },
 * });
 * const { tokens, targets } = task.batch(1, 32);
 * const loss = model.trainStep(tokens, targets);
 * ```
 *
 * Tokens and targets are (batch, length); those without a batch axis, (length), are answered without one. Parameters,
 * gradients and what optimizers keep stay in WebAssembly memory.
 */
export class AttentionOnlyTransformer {
  // Private, since the sizes of WebAssembly memory follow from them.
  readonly #settings: TransformerSettings;
  #numHeads: readonly number[];
  #training = false;
  readonly #optimizer: Adam;
  readonly #handle: Handle;

  /**
   * @throws HeadwiseError `invalid-option` for options outside their range; `unknown-option`, `not-initialized`,
   *   `out-of-memory`
   */
  constructor(options: AttentionOnlyTransformerOptions) {
    modelsCore(); // Fails before `init`, whatever the options are.
    const [settings, { optimizer }] = checkTransformerOptions(options);
    const adamOptions = checkAdamOptions(optimizer, 'optimizer');
    this.#settings = settings;
    this.#handle = new Handle('model', this, newModel(settings), 'deleteModel');
    this.#numHeads = Array.from({ length: settings.numLayers }, () => settings.layer.numHeads);
    registerTrainable(this, { isModel: true, handle: this.#handle });
    try {
      this.#optimizer = new Adam(this, adamOptions);
    } catch (error) {
      this.#handle.dispose();
      throw error;
    }
  }

  /**
   * A model of the same parameters, in evaluation mode.
   *
   * @internal
   */
  static copyOf(model: AttentionOnlyTransformer): AttentionOnlyTransformer {
    const { layer, ...settings } = model.#settings;
    const { numHiddens, numHeads, bias, dropout, seed } = layer;
    const copy = new AttentionOnlyTransformer({
      ...settings,
      ...{ numHiddens, numHeads, bias, dropout, seed },
    });
    try {
      // Which heads go does not matter: what is left is overwritten.
      copy.#prune(model.#numHeads.map((left) => range(numHeads - left)));
      copy.loadStateDict(model.stateDict());
    } catch (error) {
      copy.dispose();
      throw error;
    }
    return copy;
  }

  get vocabularySize(): number {
    return this.#settings.vocabularySize;
  }

  get maxLength(): number {
    return this.#settings.maxLength;
  }

  /** Size of the residual stream. */
  get numHiddens(): number {
    return this.#settings.layer.numHiddens;
  }

  get numLayers(): number {
    return this.#settings.numLayers;
  }

  /** Heads of each layer. */
  get numHeads(): number[] {
    return [...this.#numHeads];
  }

  get causal(): boolean {
    return this.#settings.causal;
  }

  /** The seed given, or the one that was drawn. */
  get seed(): number {
    return this.#settings.layer.seed;
  }

  /** Whether dropout acts; a new model is in `eval` mode. */
  get training(): boolean {
    return this.#training;
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
   * Logits of what follows each token and, on request, every layer's attention weights.
   *
   * @param tokens (batch, length), from 0 to below `vocabularySize`; at most `maxLength` long
   * @throws HeadwiseError `invalid-shape`, `invalid-value`, `invalid-type`, `invalid-option`, `unknown-option`,
   *   `disposed`, `out-of-memory`; the model is then as it was, and so with every other call
   */
  forward(
    tokens: TokensInput,
    options: WithWeights<TransformerForwardOptions>,
  ): TransformerResult<true>;
  /** The same without attention weights. */
  forward(
    tokens: TokensInput,
    options?: WithoutWeights<TransformerForwardOptions>,
  ): TransformerResult<false>;
  /** The same with attention weights if `returnWeights` is true. */
  forward(tokens: TokensInput, options?: TransformerForwardOptions): TransformerResult;
  forward(tokens: TokensInput, options?: TransformerForwardOptions): TransformerResult {
    this.#handle.inUse();
    const given = checkOptions(options, ['headGates', 'returnWeights']);
    const returnWeights = checkBoolean('returnWeights', given.returnWeights, false);
    const inputs = readPass(tokens, undefined, given.headGates);
    // Reading may have run code of the caller's.
    const model = this.#passModel();
    const pass = checkPass(model, inputs);
    const { logits, attentionWeights } = runPass(model, 'forward', pass, { returnWeights });
    return returnWeights ? { logits, attentionWeights } : { logits };
  }

  /**
   * The mean of −log softmax(logits)[target] over all targets that are not −1; 0 without any.
   *
   * @param targets of the tokens' shape: tokens or −1, which asks nothing
   */
  loss(tokens: TokensInput, targets: TokensInput, options?: HeadGatesOptions): number {
    this.#handle.inUse();
    const { headGates } = checkOptions(options, ['headGates']);
    const inputs = readPass(tokens, [targets], headGates);
    const model = this.#passModel();
    return runPass(model, 'loss', checkPass(model, inputs)).loss;
  }

  /** The loss and its gradients. Those of the parameters are added to those there are, see `gradients`. */
  lossAndGradients(
    tokens: TokensInput,
    targets: TokensInput,
    options?: HeadGatesOptions,
  ): LossAndGradients {
    this.#handle.inUse();
    const { headGates } = checkOptions(options, ['headGates']);
    const inputs = readPass(tokens, [targets], headGates);
    const model = this.#passModel();
    const result = runPass(model, 'gradients', checkPass(model, inputs));
    return { loss: result.loss, headGates: result.headGates };
  }

  /**
   * One step of training, in training mode: gradients made zero, `lossAndGradients`, a step of the optimizer. Between
   * steps training may stop, and go on, wherever it likes.
   *
   * @param optimizer one that trains this model. Default: the model's own, Adam by `options.optimizer`
   * @returns the loss before the step
   */
  trainStep(
    tokens: TokensInput,
    targets: TokensInput,
    optimizer: Optimizer = this.#optimizer,
  ): number {
    this.#handle.inUse();
    const inputs = readPass(tokens, [targets], undefined);
    const address = Optimizer.addressOf(optimizer);
    const model = this.#passModel();
    return runPass(model, 'training', checkPass(model, inputs), { optimizer: address }).loss;
  }

  /**
   * Sums of the parameters' gradients since the last `zeroGradients`, under the names and in the shapes of `stateDict`;
   * copies of the caller's own.
   */
  gradients(): StateDict {
    return readTensors(this.#parameters(), ({ gradient }) => gradient());
  }

  /** Makes the gradients of the parameters 0. */
  zeroGradients(): void {
    core().zeroModelGradients(this.#handle.inUse());
  }

  /**
   * The parameters by name, copies of the caller's own: `embedding.weight` (vocabularySize, numHiddens),
   * `position.weight` (maxLength, numHiddens) if learned, `layers.0.attention.` and a name of the layer's `stateDict`,
   * `layers.0.norm.weight` and `.bias` (numHiddens,), `norm.weight` and `.bias` of the last norm, `unembedding.weight`
   * (vocabularySize, numHiddens).
   */
  stateDict(): StateDict {
    return readTensors(this.#parameters(), ({ values }) => values());
  }

  /**
   * Takes over the parameters in `dict`, all or none.
   *
   * @throws HeadwiseError `invalid-state-dict` that lists every name that is missing, unexpected or of the wrong shape;
   *   `invalid-type`, `disposed`
   */
  loadStateDict(dict: TensorsByName): void {
    this.#handle.inUse();
    const tensors = toDict(dict);
    const model = this.#handle.inUse();
    const parameters = this.#parameters();
    checkStateDict(tensors, parameters);
    writeTensors(parameters, tensors, ({ values }) => values());
    core().modelParametersChanged(model);
  }

  /**
   * Removes heads of layers for good, as `pruneHeads` of a layer does; what is wrong with one layer leaves all as they
   * were. Source: Hugging Face Transformers, `prune_heads`.
   *
   * @param heads by the number of their layer: `{ 0: [1, 3], 1: [0] }`
   * @throws HeadwiseError `invalid-option` for layers and heads that the model does not have, and for all heads of a
   *   layer; `invalid-type`, `disposed`, `out-of-memory`
   */
  pruneHeads(heads: Readonly<Record<number, readonly number[]>>): void {
    this.#handle.inUse();
    const entries = entriesOf('heads', heads, 'lists of heads');
    const argument = (layer: string | number): string => `heads[${layer}]`;
    const known = this.#numHeads.map((_, layer) => String(layer));
    const given = new Map(
      entries.map(([name, list]) => [
        name,
        known.includes(name) ? readHeads(list, argument(name)) : new Set(),
      ]),
    );
    this.#handle.inUse();
    const checked = this.#layers().map((settings, layer) => {
      const list = given.get(String(layer)) ?? new Set();
      given.delete(String(layer));
      return checkHeads(list, settings, argument(layer));
    });
    for (const name of given.keys()) {
      fail('invalid-option', 'heads', `layers from 0 to ${this.numLayers - 1}`, name);
    }
    this.#prune(checked);
  }

  /** Gives the model's WebAssembly memory back. Using the model afterwards is an error; disposing again is not. */
  dispose(): void {
    this.#optimizer.dispose();
    this.#handle.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #passModel(): PassModel {
    return { model: this.#handle.inUse(), settings: this.#settings, numHeads: this.#numHeads };
  }

  #setTraining(training: boolean): this {
    const model = this.#handle.inUse();
    this.#numHeads.forEach((_, layer) => {
      core().setTraining(core().modelLayer(model, layer), Number(training));
    });
    this.#training = training;
    return this;
  }

  /** The layers' settings, as pruning left them. */
  #layers(): LayerSettings[] {
    const { layer } = this.#settings;
    return this.#numHeads.map((left) => withoutHeads(layer, layer.numHeads - left));
  }

  #parameters(): ModelParameter[] {
    return transformerParameters(this.#handle.inUse(), this.#settings, this.#layers());
  }

  /** Removes checked heads from every layer, or, if there is no room, from none. */
  #prune(heads: readonly (readonly number[])[]): void {
    const model = this.#handle.inUse();
    const layers = heads.map((list) => ({ heads: list }));
    core().pruneModel(model, send(headLists, { layers }));
    this.#numHeads = this.#numHeads.map((count, layer) => count - (heads[layer]?.length ?? 0));
  }
}
