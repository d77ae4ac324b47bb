import { readList, type GivenList } from '../layer/chosen-weights.js';
import { fail, failOption, show } from '../runtime/errors.js';
import { checkSignal, nextTurn } from '../runtime/event-loop.js';
import { Handle } from '../runtime/handle.js';
import { ifGiven, returnedNumber } from '../runtime/options.js';
import { commit, core } from '../runtime/wasm.js';
import { toWholeNumbers, type Numbers } from '../tensor/arrays.js';
import type { TokensInput } from '../tensor/inputs.js';
import { Tensor } from '../tensor/tensor.js';
import { readPositions } from './activations.js';
import { givePass } from './given-pass.js';
import { lazyLogits } from './lazy-logits.js';
import {
  hasBatchAxis,
  readInput,
  readPass,
  type Input,
  type PassInputs,
  type PassModel,
  type TransformerPassOptions,
} from './model-inputs.js';
import { runPass } from './model-pass.js';
import { ModelResults } from './model-results.js';

export interface LogitLensOptions extends TransformerPassOptions {
  /**
   * The layers before which the residual stream is read. `numLayers` means the stream after the last one. Default: all,
   * in order.
   */
  layers?: readonly number[] | undefined;
  /** Default: `'last'`, the last position. */
  positions?: readonly number[] | 'last' | undefined;
}

export interface AttributionOptions extends TransformerPassOptions {
  /** A token, or one for each sample. */
  target: number | TokensInput;
  /** A token, or one for each sample. Default: none, so that the parts sum to the target's logit. */
  against?: number | TokensInput | undefined;
  /** Default: `'last'`, the last position. */
  position?: number | 'last' | undefined;
}

/**
 * What each part of a model adds to logit(target) − logit(against). Except for rounding errors, all parts sum to
 * `total`. Without a batch axis if the tokens have none.
 */
export interface LogitAttribution {
  /** (batch, layers, heads); 0 for heads that a pruned layer lacks. */
  heads: Tensor;
  /** The same of cross-attention. Only for models with an encoder. */
  crossHeads?: Tensor | undefined;
  /** (batch, layers), of the feed-forward layers. */
  mlps: Tensor;
  /** (batch,): tokens, positions and segments. */
  embeddings: Tensor;
  /** (batch,): the biases of output projections, norms and unembedding. */
  biases: Tensor;
  /** (batch,) */
  total: Tensor;
}

export interface PatchHeadsOptions extends TransformerPassOptions {
  /**
   * Computes a number from the logits of a patched run, (batch, positions, vocabulary). Read them before the model is
   * disposed of, because they are computed when you read them: `logits.at` computes those of one position, `data` and
   * methods those of all positions. Unembedding all positions may take as long as the layers.
   */
  metric: (logits: Tensor) => number | Promise<number>;
  /** What is replaced. Default: `'z'`. */
  at?: 'z' | 'pooled' | 'queries' | 'keys' | 'values' | 'pattern' | 'headOut' | undefined;
  /** The positions whose logits `metric` gets. Fewer positions need less memory. Default: all. */
  positions?: readonly number[] | 'last' | undefined;
  /** Called after each head. */
  onProgress?: ((done: number, total: number) => void) | undefined;
  /** Checked before each head. If it is aborted, the promise is rejected with its reason, as in `fetch`. */
  signal?: AbortSignal | undefined;
}

export const lensOptionNames = ['layers', 'positions'] as const;
export const attributionOptionNames = ['target', 'against', 'position'] as const;
export const patchHeadsOptionNames = ['metric', 'at', 'positions', 'onProgress', 'signal'] as const;

const patchedNames = ['z', 'pooled', 'queries', 'keys', 'values', 'pattern', 'headOut'] as const;

/** Reads the inputs of a pass without outputs. */
const readInputs = (
  tokens: unknown,
  options: TransformerPassOptions,
  hasPatches: boolean,
): PassInputs => readPass(tokens, undefined, options, hasPatches);

/** What `logitLens` reads from the caller's objects. */
export interface GivenLens {
  readonly inputs: PassInputs;
  readonly layers: GivenList;
  readonly positions: GivenList | 'last';
}

export const readLens = (
  tokens: unknown,
  { layers, positions = 'last', ...pass }: LogitLensOptions,
  hasPatches: boolean,
): GivenLens => ({
  layers: readList('layers', 'an array of integers', layers),
  positions: readPositions('positions', positions),
  inputs: readInputs(tokens, pass, hasPatches),
});

export function logitLens(model: PassModel, { inputs, layers, positions }: GivenLens): Tensor {
  const { results } = runPass(model, inputs, 'lens', { layers, positions }, 1);
  return results.tensor('logits') ?? new Tensor([], [0]);
}

/** What `attributeLogits` reads from the caller's objects. */
export interface GivenAttribution {
  readonly inputs: PassInputs;
  readonly target: Numbers<Float64Array>;
  readonly against: Numbers<Float64Array> | undefined;
  readonly position: GivenList | 'last';
}

const readTokens = (argument: string, value: unknown): Numbers<Float64Array> =>
  toWholeNumbers(argument, typeof value === 'number' ? [value] : value);

export const readAttribution = (
  tokens: unknown,
  { target, against, position = 'last', ...pass }: AttributionOptions,
  hasPatches: boolean,
): GivenAttribution => ({
  target: readTokens('target', target),
  against: ifGiven('against', against, readTokens),
  position:
    position === 'last'
      ? position
      : [
          typeof position === 'number'
            ? position
            : failOption('position', "an integer or 'last'", position),
        ],
  inputs: readInputs(tokens, pass, hasPatches),
});

export function attributeLogits(
  model: PassModel,
  { inputs, target, against, position: positions }: GivenAttribution,
): LogitAttribution {
  const { results } = runPass(model, inputs, 'attribution', { target, against, positions });
  const parts = ['heads', 'crossHeads', 'mlps', 'embeddings', 'biases', 'total'] as const;
  return Object.fromEntries(
    parts.flatMap((name) => results.list(name).map((tensor) => [name, tensor])),
  ) as unknown as LogitAttribution;
}

/** What `patchHeads` reads from the caller's objects. */
export interface GivenPatching {
  readonly clean: PassInputs;
  readonly corrupted: Input;
  readonly at: (typeof patchedNames)[number];
  readonly positions: GivenList | 'last';
  readonly metric: PatchHeadsOptions['metric'];
  readonly onProgress: PatchHeadsOptions['onProgress'];
  readonly throwIfAborted: () => void;
}

export function readPatching(
  clean: unknown,
  corrupted: unknown,
  { metric, at = 'z', positions, onProgress, signal, ...pass }: PatchHeadsOptions,
  hasPatches: boolean,
): GivenPatching {
  if (typeof metric !== 'function') {
    fail('invalid-type', 'metric', 'a function', show(metric));
  }
  if (!(patchedNames as readonly unknown[]).includes(at)) {
    failOption('at', `one of ${patchedNames.join(', ')}`, at);
  }
  if (onProgress !== undefined && typeof onProgress !== 'function') {
    fail('invalid-type', 'onProgress', 'a function', show(onProgress));
  }
  return {
    ...{ metric, at, onProgress, throwIfAborted: checkSignal(signal) },
    positions: readPositions('positions', positions),
    clean: readInputs(clean, pass, hasPatches),
    corrupted: readInput(corrupted, hasPatches),
  };
}

export async function patchHeads(
  inUse: () => PassModel,
  { clean, corrupted, at, positions, metric, onProgress, throwIfAborted }: GivenPatching,
): Promise<Tensor> {
  throwIfAborted();
  const give = (): ReturnType<typeof givePass> =>
    givePass(inUse(), clean, 'forward', { replaced: at, positions, corrupted });
  const { model, layers } = inUse();
  const byKvHead = at === 'keys' || at === 'values';
  const heads = layers.self.map(({ numHeads, numKvHeads }) => (byKvHead ? numKvHeads : numHeads));
  const most = Math.max(...heads);
  const total = heads.reduce((a, b) => a + b, 0);
  const result = new Tensor(new Float32Array(heads.length * most).fill(NaN), [heads.length, most]);
  const made = core().newHeadPatching(model, give());
  const patching = new Handle('patching', result, made, 'deleteHeadPatching');
  try {
    let [layer, head, done] = [0, 0, 0];
    while (done < total) {
      const record = give();
      const results = new ModelResults(hasBatchAxis(clean) ? undefined : 1);
      const address = patching.inUse();
      commit(() => core().patchNextHeads(address, record), results);
      for (const logits of lazyLogits(inUse, results.list('hidden')[0])) {
        result.data[layer * most + head] = returnedNumber('metric', await metric(logits));
        head++;
        done++;
        onProgress?.(done, total);
        await nextTurn();
        throwIfAborted();
        inUse();
        core().checkPatchedHeads(patching.inUse());
      }
      if (head === heads[layer]) {
        layer++;
        head = 0;
      }
    }
    return result;
  } finally {
    patching.dispose();
  }
}
