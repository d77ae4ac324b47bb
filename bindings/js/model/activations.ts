import { capturePlace, patchPlace } from 'headwise-records';
import { checkChosen, readList, type GivenList } from '../layer/chosen-weights.js';
import type { MultiHeadAttention } from '../layer/multi-head-attention.js';
import { fail, failOption, show, showShape } from '../runtime/errors.js';
import type { Address, Counted, Word } from '../runtime/memory.js';
import { checkOptions, checkWord, isIntegerIn } from '../runtime/options.js';
import type { WorkingMemory } from '../runtime/working-memory.js';
import { checkAttached, counted, elementsOf, toFloats, type Numbers } from '../tensor/arrays.js';
import type { TensorInput } from '../tensor/inputs.js';
import type { Tensor } from '../tensor/tensor.js';
import { outputTensor, readOutput, type OutputTensor } from './output-tensor.js';
import { sides, type LayersBySide, type Side } from './sides.js';
import type { TransformerSettings } from './transformer-options.js';

/**
 * Activations of a model, named as in TransformerLens:
 * - `queries` and `z` (batch, heads, queries, head size); `keys` and `values` (batch, key-value heads, keys, head
 *   size). Queries and keys are rotated in rotary layers; `z`, or `pooled`, is each head's result before its gate.
 * - `scores`, `pattern` and `droppedWeights` (batch, heads, queries, keys): scores are scaled, capped and masked;
 *   `pattern` is the attention weights, `droppedWeights` the weights after dropout
 * - `headOut` (batch, heads, queries, numHiddens): what each head adds to the residual stream, without the bias
 * - `keyMass` (batch, heads, keys): each head's weight on each key, summed over the queries; `rowEntropy` (batch,
 *   heads, queries): the entropy of each row of weights in nats. Neither stores all weights.
 * - `residPre`, `residMid`, `residPost` (batch, length, numHiddens): the residual stream before a layer's attention,
 *   before its feed-forward layer and after it; if norms come last, after the norm. `attnOut` and `mlpOut` are what the
 *   two sublayers add.
 * - `embeddings` (batch, length, numHiddens): of tokens or patches, before positions and segments are added
 * - `finalNormScale` (batch, length): the standard deviation, or root mean square, by which the final norm divides
 */
export type ActivationName =
  | 'queries'
  | 'keys'
  | 'values'
  | 'scores'
  | 'pattern'
  | 'droppedWeights'
  | 'z'
  | 'pooled'
  | 'headOut'
  | 'keyMass'
  | 'rowEntropy'
  | 'residPre'
  | 'attnOut'
  | 'residMid'
  | 'mlpOut'
  | 'residPost'
  | 'embeddings'
  | 'finalNormScale';

/** In the order of the C++ enumeration. `'pooled'` is `'z'`. */
const names: readonly ActivationName[] = [
  ...([
    'queries',
    'keys',
    'values',
    'scores',
    'pattern',
    'droppedWeights',
    'z',
    'headOut',
  ] as const),
  ...(['keyMass', 'rowEntropy', 'residPre', 'attnOut', 'residMid', 'mlpOut', 'residPost'] as const),
  ...(['embeddings', 'finalNormScale'] as const),
];

/** Captured activations: a tensor for each captured layer, in the order of `captureLayers`. */
export type CapturedActivations<Name extends ActivationName = ActivationName> = {
  [Each in Name]: Each extends 'embeddings' | 'finalNormScale' ? Tensor : Tensor[];
};

/**
 * Replaces an activation during a forward pass. `backward` treats the new value as a constant. Source: activation
 * patching, as in TransformerLens.
 */
export interface Patch {
  /**
   * Any activation but `scores`, `droppedWeights`, `keyMass` and `rowEntropy`. Rows of a replaced pattern need not sum
   * to 1, and dropout leaves them as they are. `pattern` cannot be replaced in a pass with a cache.
   */
  at: Exclude<ActivationName, 'scores' | 'droppedWeights' | 'keyMass' | 'rowEntropy'>;
  /** The layer. Required, except for `embeddings` and `finalNormScale`. */
  layer?: number | undefined;
  /** Which attention layers. Default: `'self'`. */
  side?: Side | undefined;
  /** Which heads, of an activation that has them. Default: all. */
  heads?: readonly number[] | undefined;
  /** Which positions of the call. Default: all. */
  positions?: readonly number[] | undefined;
  /**
   * The new value: numbers of the activation's shape, or only those of the chosen heads and positions; `'zero'`; or
   * `'mean'`, the activation's own mean over batch and positions.
   */
  value: TensorInput | 'zero' | 'mean';
}

export interface ProbeOptions<Names extends readonly ActivationName[] | undefined> {
  /**
   * Activations to return. Cross-attention has no residual streams of its own. The encoder's activations are returned
   * if the call has a source. Default: none.
   */
  capture?: Names;
  /** The layers to capture, in the order of the result. Default: all. */
  captureLayers?: readonly number[] | undefined;
  /**
   * The positions to capture, in the order of the result. The encoder's activations always have all positions, and so
   * do keys and values of a source or in a pass with a cache. Default: all.
   */
  capturePositions?: readonly number[] | 'last' | undefined;
  /** Activations to replace during the pass, in this order. Default: none. */
  patch?: readonly Patch[] | undefined;
}

export const probeOptionNames = ['capture', 'captureLayers', 'capturePositions', 'patch'] as const;

const codeOf = (name: ActivationName): number => names.indexOf(name === 'pooled' ? 'z' : name);

const isOfModel = (name: ActivationName): boolean =>
  name === 'embeddings' || name === 'finalNormScale';

/** Whether the activation's rows are the positions of the pass. */
const isStream = (name: ActivationName): boolean => codeOf(name) >= codeOf('residPre');

/** Captured activations that take working memory beside their result. */
const bufferedCaptures: readonly ActivationName[] = ['keyMass', 'rowEntropy', 'finalNormScale'];

const cannotBeReplaced: readonly ActivationName[] = [
  ...(['scores', 'droppedWeights', 'keyMass', 'rowEntropy'] as const),
];

interface GivenPatch {
  readonly at: ActivationName;
  readonly layer: unknown;
  readonly side: Side;
  readonly heads: GivenList;
  readonly positions: GivenList;
  readonly value: Numbers<Float32Array> | 'zero' | 'mean';
}

/** Captures and patches, read from the caller's objects but not checked against the pass. */
export interface GivenProbe {
  readonly capture: readonly ActivationName[];
  readonly isCaptured: boolean;
  readonly layers: GivenList;
  readonly positions: GivenList | 'last';
  readonly patches: readonly GivenPatch[];
}

export const noProbe: GivenProbe = {
  ...{ capture: [], isCaptured: false, layers: undefined, positions: undefined, patches: [] },
};

function checkName(argument: string, value: unknown): ActivationName {
  const known: readonly unknown[] = [...names, 'pooled'];
  if (!known.includes(value)) {
    failOption(argument, `one of ${known.join(', ')}`, value);
  }
  return value as ActivationName;
}

function readCapture(value: unknown): ActivationName[] {
  const read = new Set<ActivationName>();
  for (const each of elementsOf('capture', 'an array of names', value)) {
    const name = checkName('capture', each);
    if ([...read].some((other) => codeOf(other) === codeOf(name))) {
      fail('invalid-option', 'capture', 'each name once', `${show(name)} twice`);
    }
    read.add(name);
  }
  return [...read];
}

function readPatch(given: unknown, i: number): GivenPatch {
  const argument = `patch[${i}]`;
  const patch = checkOptions<Patch>(
    given as Patch,
    ['at', 'layer', 'side', 'heads', 'positions', 'value'],
    argument,
  );
  const at = checkName(`${argument}.at`, patch.at);
  if (cannotBeReplaced.includes(at)) {
    fail('invalid-option', `${argument}.at`, 'an activation that can be replaced', at);
  }
  const { layer, value } = patch;
  const isWord = value === 'zero' || value === 'mean';
  if (typeof value === 'string' && !isWord) {
    failOption(`${argument}.value`, "a tensor, 'zero' or 'mean'", value);
  }
  return {
    at,
    layer,
    side: checkWord(`${argument}.side`, patch.side, sides),
    heads: readList(`${argument}.heads`, 'an array of integers', patch.heads),
    positions: readList(`${argument}.positions`, 'an array of integers', patch.positions),
    value: isWord ? value : toFloats(`${argument}.value`, value),
  };
}

export function readPositions(argument: string, value: unknown): GivenList | 'last' {
  return value === 'last' ? value : readList(argument, "an array of integers or 'last'", value);
}

/** Reads the options from the caller's objects. */
export function readProbe(
  options: ProbeOptions<readonly ActivationName[] | undefined>,
): GivenProbe {
  const { capture, patch } = options;
  for (const name of ['captureLayers', 'capturePositions'] as const) {
    if (capture === undefined && options[name] !== undefined) {
      fail('invalid-option', name, 'capture beside it', 'none');
    }
  }
  return {
    capture: capture === undefined ? [] : readCapture(capture),
    isCaptured: capture !== undefined,
    layers: readList('captureLayers', 'an array of integers', options.captureLayers),
    positions: readPositions('capturePositions', options.capturePositions),
    patches:
      patch === undefined
        ? []
        : Array.from(elementsOf('patch', 'an array of patches', patch), readPatch),
  };
}

/** The pass whose activations are captured or patched. */
export interface ProbedPass {
  readonly batch: number;
  readonly batchAxis: readonly number[];
  readonly length: number;
  readonly sourceLength: number;
  readonly numKeys: number;
  readonly numSourceKeys: number;
  /** Whether the encoder runs. */
  readonly hasSource: boolean;
  readonly hasCache: boolean;
}

interface ProbedModel {
  readonly settings: TransformerSettings;
  readonly layers: LayersBySide;
}

/** The axes of an activation after the batch; undefined for a missing axis. */
interface Axes {
  readonly heads: number | undefined;
  readonly rows: number;
  readonly size: number | undefined;
}

function axesOf(
  name: ActivationName,
  layer: MultiHeadAttention | undefined,
  numHiddens: number,
  sizes: { readonly rows: number; readonly keys: number },
): Axes {
  const { numHeads = 0, numKvHeads = 0, numHiddens: ofHeads = 0 } = layer ?? {};
  const { rows, keys } = sizes;
  const headSize = numHeads > 0 ? ofHeads / numHeads : 0;
  switch (name) {
    case 'queries':
    case 'z':
    case 'pooled':
      return { heads: numHeads, rows, size: headSize };
    case 'keys':
    case 'values':
      return { heads: numKvHeads, rows: keys, size: headSize };
    case 'scores':
    case 'pattern':
    case 'droppedWeights':
      return { heads: numHeads, rows, size: keys };
    case 'headOut':
      return { heads: numHeads, rows, size: numHiddens };
    case 'keyMass':
      return { heads: numHeads, rows: keys, size: undefined };
    case 'rowEntropy':
      return { heads: numHeads, rows, size: undefined };
    case 'finalNormScale':
      return { heads: undefined, rows, size: undefined };
    default:
      return { heads: undefined, rows, size: numHiddens };
  }
}

const listOf = (...axes: readonly (number | undefined)[]): number[] =>
  axes.filter((axis) => axis !== undefined);

const ffnHiddensOf = (settings: TransformerSettings, side: Side): number =>
  side === 'encoder' ? settings.encoderFfnHiddens : settings.ffnHiddens;

function checkAvailable(
  argument: string,
  { settings }: ProbedModel,
  side: Side,
  name: ActivationName,
): void {
  if (name === 'mlpOut' && ffnHiddensOf(settings, side) === 0) {
    fail('invalid-option', argument, 'none of a model without feed-forward layers', name);
  }
  if (name === 'residMid' && settings.parallelResidual) {
    fail('invalid-option', argument, 'none of a model whose layers run side by side', name);
  }
  if (name === 'finalNormScale' && !settings.finalNorm) {
    fail('invalid-option', argument, 'none of a model without a final norm', name);
  }
}

interface Capture {
  readonly name: ActivationName;
  readonly side: Side;
  readonly layer: number;
  readonly shape: readonly number[];
}

interface CheckedPatch extends Pick<GivenPatch, 'at' | 'side'> {
  readonly layer: number;
  readonly heads: Int32Array | undefined;
  readonly positions: Int32Array | undefined;
  readonly kind: number;
  readonly value: Counted | undefined;
}

/** Captures and patches, checked against model and pass. */
export interface CheckedProbe {
  readonly isCaptured: boolean;
  /** Which lists of tensors are returned. They are empty if no layer is captured. */
  readonly lists: readonly Pick<Capture, 'name' | 'side'>[];
  readonly captures: readonly Capture[];
  readonly positions: Int32Array | undefined;
  readonly patches: readonly CheckedPatch[];
}

const patchKinds = ['value', 'zero', 'mean'];

const sizesOf = (
  side: Side,
  pass: ProbedPass,
): { readonly rows: number; readonly keys: number; readonly newKeys: number } =>
  ({
    self: { rows: pass.length, keys: pass.numKeys, newKeys: pass.length },
    cross: { rows: pass.length, keys: pass.numSourceKeys, newKeys: pass.sourceLength },
    encoder: { rows: pass.sourceLength, keys: pass.sourceLength, newKeys: pass.sourceLength },
  })[side];

/** The chosen heads and rows of a value that has all of them. */
function chosenPart(
  value: Float32Array,
  batch: number,
  axes: Axes,
  heads: Int32Array | undefined,
  positions: Int32Array | undefined,
): Float32Array {
  const { heads: numHeads = 1, rows, size = 1 } = axes;
  const ofHeads = heads ?? Int32Array.from({ length: numHeads }, (_, i) => i);
  const ofRows = positions ?? Int32Array.from({ length: rows }, (_, i) => i);
  const part = new Float32Array(batch * ofHeads.length * ofRows.length * size);
  let next = 0;
  for (let sample = 0; sample < batch; sample++) {
    for (const head of ofHeads) {
      for (const row of ofRows) {
        const first = ((sample * numHeads + head) * rows + row) * size;
        part.set(value.subarray(first, first + size), next);
        next += size;
      }
    }
  }
  return part;
}

function checkValue(
  argument: string,
  value: Numbers<Float32Array>,
  axes: Axes,
  { batch, batchAxis }: ProbedPass,
  heads: Int32Array | undefined,
  positions: Int32Array | undefined,
): Counted {
  checkAttached(argument, value);
  const whole = [...batchAxis, ...listOf(axes.heads, axes.rows, axes.size)];
  const chosen = [
    ...batchAxis,
    ...listOf(
      axes.heads && (heads?.length ?? axes.heads),
      positions?.length ?? axes.rows,
      axes.size,
    ),
  ];
  const is = (shape: readonly number[]): boolean =>
    shape.length === value.shape.length && shape.every((size, i) => size === value.shape[i]);
  if (is(chosen)) {
    return counted(value);
  }
  if (!is(whole)) {
    fail('invalid-shape', argument, showShape(chosen), showShape(value.shape));
  }
  const data = chosenPart(value.data, batch, axes, heads, positions);
  return { data, count: data.length };
}

function checkPatch(
  model: ProbedModel,
  pass: ProbedPass,
  { at, layer, side, heads, positions, value }: GivenPatch,
  i: number,
): CheckedPatch {
  const argument = `patch[${i}]`;
  const layers = model.layers[side];
  if (layers.length === 0 || (side === 'encoder' && !pass.hasSource)) {
    fail('invalid-option', `${argument}.side`, 'a side that runs', side);
  }
  if (side === 'cross' && isStream(at) && at !== 'attnOut') {
    fail('invalid-option', `${argument}.at`, 'an activation of cross-attention', at);
  }
  checkAvailable(`${argument}.at`, model, side, at);
  if (at === 'pattern' && pass.hasCache) {
    fail('invalid-option', `${argument}.at`, 'another beside a cache', at);
  }
  const last = layers.length - 1;
  if (!isOfModel(at) && !isIntegerIn(layer, 0, last)) {
    failOption(`${argument}.layer`, `an integer from 0 to ${last}`, layer);
  }
  const number = isOfModel(at) ? 0 : (layer as number);
  const { rows, keys, newKeys } = sizesOf(side, pass);
  const axes = axesOf(at, layers[number], model.settings.numHiddens, {
    rows,
    keys: at === 'pattern' ? keys : newKeys,
  });
  if (heads !== undefined && axes.heads === undefined) {
    const expected = 'none of an activation without heads';
    fail('invalid-option', `${argument}.heads`, expected, 'a list');
  }
  const ofHeads = checkChosen(`${argument}.heads`, 'head', heads, axes.heads ?? 1);
  const ofRows = checkChosen(`${argument}.positions`, 'position', positions, axes.rows);
  const isWord = typeof value === 'string';
  return {
    ...{ at, side, layer: number, heads: ofHeads, positions: ofRows },
    kind: patchKinds.indexOf(isWord ? value : 'value'),
    value: isWord ? undefined : checkValue(`${argument}.value`, value, axes, pass, ofHeads, ofRows),
  };
}

/** Checks positions of a call, or its last one. */
export const checkPositions = (
  argument: string,
  given: GivenList | 'last',
  length: number,
): Int32Array | undefined =>
  checkChosen(
    argument,
    'position',
    given === 'last' ? (length > 0 ? [length - 1] : []) : given,
    length,
  );

export function checkProbe(model: ProbedModel, pass: ProbedPass, given: GivenProbe): CheckedProbe {
  const { layers: layersOf, settings } = model;
  for (const name of given.capture) {
    checkAvailable('capture', model, settings.ffnHiddens > 0 ? 'self' : 'encoder', name);
  }
  const most = Math.max(layersOf.self.length, layersOf.encoder.length);
  const chosenLayers = checkChosen('captureLayers', 'layer', given.layers, most);
  const positions = checkPositions('capturePositions', given.positions, pass.length);
  const captures: Capture[] = [];
  const lists: Pick<Capture, 'name' | 'side'>[] = [];
  for (const side of sides) {
    const layers = layersOf[side];
    if (layers.length === 0 || (side === 'encoder' && !pass.hasSource)) {
      continue;
    }
    const sizes = sizesOf(side, pass);
    for (const name of given.capture) {
      const isLacking =
        side === 'cross'
          ? isStream(name) && name !== 'attnOut'
          : name === 'mlpOut' && ffnHiddensOf(settings, side) === 0;
      if (isLacking) {
        continue;
      }
      const ofKeys = name === 'keys' || name === 'values';
      const isWhole =
        side === 'encoder' || name === 'keyMass' || (ofKeys && (side === 'cross' || pass.hasCache));
      const all = isOfModel(name) ? [0] : (chosenLayers ?? layers.keys());
      if (!isOfModel(name)) {
        lists.push({ name, side });
      }
      for (const layer of all) {
        if (layer < layers.length) {
          const { heads, rows, size } = axesOf(name, layers[layer], settings.numHiddens, sizes);
          const chosen = isWhole ? rows : (positions?.length ?? rows);
          captures.push({
            ...{ name, side, layer },
            shape: [...pass.batchAxis, ...listOf(heads, chosen, size)],
          });
        }
      }
    }
  }
  return {
    isCaptured: given.isCaptured,
    ...{ lists, captures, positions },
    patches: given.patches.map((patch, i) => checkPatch(model, pass, patch, i)),
  };
}

/** What captures and patches take in working memory. */
export interface ProbeMemory {
  /** A bit for each name that takes working memory, as in `PassProbe::names` of the core. */
  readonly names: number;
  /** Returns fields of the pass's record, and writes what they point to. Call it after `reserve`. */
  readonly write: (writeWords: (at: Address, words: readonly Word[]) => void) => {
    readonly captures: Address | undefined;
    readonly numCaptures: number;
    readonly patches: Address | undefined;
    readonly numPatches: number;
    readonly positions: Address | undefined;
    readonly numPositions: number;
  };
  readonly lists: CheckedProbe['lists'];
  readonly captured: readonly (Capture & { readonly output: OutputTensor })[];
}

export function probeMemory(memory: WorkingMemory, probe: CheckedProbe): ProbeMemory {
  const { captures, patches } = probe;
  const capturesAt = memory.add(capturePlace.words * captures.length);
  const patchesAt = memory.add(patchPlace.words * patches.length);
  const positionsAt = memory.integers(probe.positions);
  const captured = captures.map((capture) => ({
    ...capture,
    output: outputTensor(memory, capture.shape),
  }));
  const placed = patches.map((patch) => ({
    patch,
    value: memory.floats(patch.value),
    heads: memory.integers(patch.heads),
    positions: memory.integers(patch.positions),
  }));
  return {
    names: [
      ...captures.map(({ name }) => name).filter((name) => bufferedCaptures.includes(name)),
      ...patches.map(({ at }) => at),
    ].reduce((bits, name) => bits | (1 << codeOf(name)), 0),
    lists: probe.lists,
    captured,
    write: (writeWords) => {
      writeWords(
        capturesAt(),
        captured.flatMap(({ name, side, layer, output }) =>
          capturePlace.pack({
            ...{ at: codeOf(name), side: sides.indexOf(side), layer },
            to: output.at(),
          }),
        ),
      );
      writeWords(
        patchesAt(),
        placed.flatMap(({ patch, value, heads, positions }) =>
          patchPlace.pack({
            ...{ at: codeOf(patch.at), side: sides.indexOf(patch.side), layer: patch.layer },
            ...{ kind: patch.kind, value: value() },
            ...{ heads: heads(), numHeads: patch.heads?.length ?? 0 },
            ...{ positions: positions(), numPositions: patch.positions?.length ?? 0 },
          }),
        ),
      );
      return {
        captures: captures.length > 0 ? capturesAt() : undefined,
        numCaptures: captures.length,
        patches: patches.length > 0 ? patchesAt() : undefined,
        numPatches: patches.length,
        positions: positionsAt(),
        numPositions: probe.positions?.length ?? 0,
      };
    },
  };
}

/** Copies the captured activations of a side out of WebAssembly memory. */
export function readCaptured(
  { lists, captured }: ProbeMemory,
  side: Side,
): Partial<CapturedActivations> {
  const result: Partial<Record<ActivationName, Tensor | Tensor[]>> = Object.fromEntries(
    lists.flatMap(({ name, side: of }) => (of === side ? [[name, []]] : [])),
  );
  for (const { name, output, side: of } of captured) {
    if (of !== side) {
      continue;
    }
    const tensor = readOutput(output);
    if (isOfModel(name)) {
      result[name] = tensor;
    } else {
      (result[name] as Tensor[]).push(tensor);
    }
  }
  return result as Partial<CapturedActivations>;
}
