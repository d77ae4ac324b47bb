import { checkChosen, readList, type GivenList } from '../layer/chosen-weights.js';
import { fail, failOption, show } from '../runtime/errors.js';
import { checkSignal, nextTurn } from '../runtime/event-loop.js';
import { ifGiven, isIntegerIn } from '../runtime/options.js';
import { checkIntegers, counted, toWholeNumbers } from '../tensor/arrays.js';
import type { TokensInput } from '../tensor/inputs.js';
import { checkShape } from '../tensor/shapes.js';
import { Tensor } from '../tensor/tensor.js';
import { checkPositions, noProbe, readPositions, type Patch } from './activations.js';
import {
  checkInput,
  checkPass,
  readPass,
  type CheckedPass,
  type PassInputs,
  type PassModel,
  type TransformerPassOptions,
} from './model-inputs.js';
import { lazyLogits } from './lazy-logits.js';
import { analyse, runPass } from './model-pass.js';

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
  /** Likewise. Default: none, so that the parts sum to the target's logit. */
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
   * Computes a number from the logits of a patched run, (batch, positions, vocabulary). The logits are computed when
   * you read them, before the model is disposed of: `at` computes those of its position, `data` and methods those of
   * all positions. Unembedding all positions may take as long as the layers.
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

/** Checks them against a model, which must have logits. */
function checkInputs(model: PassModel, inputs: PassInputs): CheckedPass {
  const pass = checkPass(model, inputs);
  if (!model.settings.head) {
    fail('invalid-option', 'model', 'one that has logits', 'one without');
  }
  if (pass.batch * pass.length === 0) {
    fail('invalid-shape', 'tokens', 'at least one', 'none');
  }
  return pass;
}

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
  const pass = checkInputs(model, inputs);
  const { numLayers, vocabularySize } = model.settings;
  const chosen =
    checkChosen('layers', 'layer', layers, numLayers + 1) ??
    Int32Array.from({ length: numLayers + 1 }, (_, layer) => layer);
  const read = checkPositions('positions', positions, pass.length) ?? new Int32Array();
  return analyse(model, pass, {
    ...{ kind: 'lens', layers: chosen, positions: read },
    shape: [chosen.length, ...pass.batchAxis, read.length, vocabularySize],
  });
}

/** What `attributeLogits` reads from the caller's objects. */
export interface GivenAttribution {
  readonly inputs: PassInputs;
  readonly target: Float64Array;
  readonly against: Float64Array | undefined;
  readonly position: unknown;
}

const readTokens = (argument: string, value: unknown): Float64Array =>
  typeof value === 'number' ? Float64Array.of(value) : toWholeNumbers(argument, value).data;

export const readAttribution = (
  tokens: unknown,
  { target, against, position = 'last', ...pass }: AttributionOptions,
  hasPatches: boolean,
): GivenAttribution => ({
  target: readTokens('target', target),
  against: ifGiven('against', against, readTokens),
  position,
  inputs: readInputs(tokens, pass, hasPatches),
});

/** One token for each sample. */
function checkTokens(
  argument: string,
  tokens: Float64Array,
  batch: number,
  vocabularySize: number,
): Float64Array {
  if (tokens.length !== 1 && tokens.length !== batch) {
    const expected = `one token, or one for each sample (${batch})`;
    fail('invalid-shape', argument, expected, String(tokens.length));
  }
  checkIntegers(argument, tokens, 0, vocabularySize - 1);
  return tokens.length === batch ? tokens : new Float64Array(batch).fill(tokens[0]);
}

export function attributeLogits(
  model: PassModel,
  { inputs, target, against, position }: GivenAttribution,
): LogitAttribution {
  const pass = checkInputs(model, inputs);
  const { batch, batchAxis, length } = pass;
  const { vocabularySize, numLayers, hasEncoder, hasNorms, normFirst } = model.settings;
  if (!normFirst && hasNorms) {
    fail('invalid-option', 'model', 'one whose norms come first', 'another');
  }
  const at = position === 'last' ? length - 1 : position;
  if (!isIntegerIn(at, 0, length - 1)) {
    failOption('position', `an integer from 0 to ${length - 1} or 'last'`, at);
  }
  const numHeads = Math.max(
    ...Object.values(model.layers)
      .flat()
      .map((layer) => layer.numHeads),
  );
  const perHead = [...batchAxis, numLayers, numHeads];
  const parts = {
    heads: perHead,
    ...(hasEncoder && { crossHeads: perHead }),
    mlps: [...batchAxis, numLayers],
    ...{ embeddings: batchAxis, biases: batchAxis, total: batchAxis },
  };
  const count = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);
  const all = analyse(model, pass, {
    kind: 'attribution',
    positions: Int32Array.of(at),
    targets: checkTokens('target', target, batch, vocabularySize),
    against: against && checkTokens('against', against, batch, vocabularySize),
    shape: [Object.values(parts).reduce((sum, shape) => sum + count(shape), 0)],
  });
  let next = 0;
  const take = (shape: readonly number[]): Tensor => {
    const first = next;
    next += count(shape);
    return new Tensor(all.data.slice(first, next), shape);
  };
  return Object.fromEntries(
    Object.entries(parts).map(([name, shape]) => [name, take(shape)]),
  ) as unknown as LogitAttribution;
}

/** What `patchHeads` reads from the caller's objects. */
export interface GivenPatching {
  readonly clean: PassInputs;
  readonly corrupted: PassInputs;
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
    corrupted: readInputs(corrupted, pass, hasPatches),
  };
}

/** How many of a layer's heads are patched at once: few passes, of few rows and logits. */
function headsAtOnce(numHeads: number, rows: number, numLogits: number): number {
  const most = Math.floor(Math.max(Math.min(256 / rows, 2 ** 24 / numLogits), 1));
  return Math.ceil(numHeads / Math.ceil(numHeads / most));
}

export async function patchHeads(
  inUse: () => PassModel,
  { clean, corrupted, at, positions, metric, onProgress, throwIfAborted }: GivenPatching,
): Promise<Tensor> {
  throwIfAborted();
  const capture = (inputs: PassInputs, name: Patch['at']): readonly Tensor[] => {
    const model = inUse();
    const pass = checkPass(model, {
      ...inputs,
      probe: { ...inputs.probe, capture: [name], isCaptured: true },
    });
    const { result } = runPass(model, pass, { kind: 'forward', ...inputs });
    return (result.captured as Record<string, Tensor[]>)[name];
  };
  const model = inUse();
  if (model.layers.self.some(({ training, dropout }) => training && dropout > 0)) {
    // Every run would drop other weights.
    fail('invalid-option', 'model', 'one in evaluation mode', 'dropout');
  }
  const { batch, batchAxis, length } = checkInputs(model, clean);
  checkShape('corrupted', checkInput(model, corrupted), [...batchAxis, length]);
  checkInputs(model, corrupted);
  const { vocabularySize } = model.settings;
  const numPositions = checkPositions('positions', positions, length)?.length ?? length;
  if (numPositions === 0) {
    fail('invalid-option', 'positions', 'at least one', 'none');
  }
  const { numHiddens } = model.settings;
  const numLogits = batch * numPositions * vocabularySize;
  const values = capture(clean, at);
  const streams = capture(corrupted, 'residPre');
  const byKvHead = at === 'keys' || at === 'values';
  const heads = model.layers.self.map(({ numHeads, numKvHeads }) =>
    byKvHead ? numKvHeads : numHeads,
  );
  const most = Math.max(...heads);
  const total = heads.reduce((a, b) => a + b, 0);
  const result = new Tensor(new Float32Array(heads.length * most).fill(NaN), [heads.length, most]);
  const headCounts = ({ layers }: PassModel): string =>
    String(Object.values(layers).map((of) => of.map(({ numHeads }) => numHeads)));
  const before = headCounts(model);
  let done = 0;
  for (const [layer, count] of heads.entries()) {
    const atOnce = headsAtOnce(count, batch * length, numLogits);
    for (let first = 0; first < count; first += atOnce) {
      const current = inUse();
      const chosen = Array.from({ length: Math.min(atOnce, count - first) }, (_, i) => first + i);
      const patch = { at, layer, side: 'self', heads: chosen, positions: undefined } as const;
      const probe = { ...noProbe, positions, patches: [{ ...patch, value: values[layer] }] };
      const pass = checkPass(current, { ...corrupted, probe });
      const hidden = analyse(current, pass, {
        ...{ kind: 'heads', positions: pass.probe.positions, copies: chosen.length },
        shape: [chosen.length, ...batchAxis, numPositions, numHiddens],
        from: { layer, stream: counted(streams[layer]) },
      });
      const logits = lazyLogits(inUse, hidden);
      for (const [i, head] of chosen.entries()) {
        const value: unknown = await metric(logits[i]);
        if (typeof value !== 'number') {
          fail('invalid-type', 'metric', 'a function that returns a number', show(value));
        }
        result.data[layer * most + head] = value;
        onProgress?.(++done, total);
        await nextTurn();
        throwIfAborted();
        if (headCounts(inUse()) !== before) {
          const expected = 'one that keeps its heads during the call';
          fail('invalid-option', 'model', expected, 'one with other heads');
        }
      }
    }
  }
  return result;
}
