import { sizeOf, toFloatList, type Numbers, type TensorInput } from './arrays.js';
import { allocate, core, read, reserve, write, writeIntegers } from './core.js';
import { fail, show, showShape } from './errors.js';
import { checkHeadGate } from './forward.js';
import { checkShape } from './shapes.js';
import { Tensor } from './tensor.js';
import { checkSymbols, ignoredTarget, toTokens } from './tokens.js';
import type { TransformerSettings } from './transformer-options.js';

/** One gate a layer, as `forward` of a layer takes it, or undefined for a layer without. */
export type HeadGates = readonly (TensorInput | Float32Array | Float64Array | undefined)[];

/** What a pass needs of its model. */
export interface PassModel {
  /** Its address in WebAssembly memory. */
  readonly model: number;
  readonly settings: TransformerSettings;
  /** Of each layer. */
  readonly numHeads: readonly number[];
}

interface Gate {
  readonly data: Float32Array;
  readonly count: number;
  /** Numbers between its samples. */
  readonly stride: number;
}

/** The arguments of a pass, checked. */
export interface CheckedPass {
  readonly batch: number;
  readonly length: number;
  /** Of results: none if the tokens have none. */
  readonly batchAxis: readonly number[];
  readonly tokens: Float64Array;
  readonly targets: Float64Array | undefined;
  /** One a layer. */
  readonly gates: readonly (Gate | undefined)[];
}

function checkTokens({ settings }: PassModel, tokens: Numbers<Float64Array>): readonly number[] {
  const { data, shape } = tokens;
  const { maxLength } = settings;
  if (shape.length !== 1 && shape.length !== 2) {
    checkShape('tokens', shape, ['batch', 'length']);
  }
  if ((shape.at(-1) ?? 0) > maxLength) {
    const expected = shape.length === 1 ? '(length,)' : '(batch, length)';
    const most = `${expected}, length at most maxLength (${maxLength})`;
    fail('invalid-shape', 'tokens', most, showShape(shape));
  }
  checkSymbols('tokens', data, 0, settings.vocabularySize);
  return shape;
}

/** The arguments of a pass, read from the caller's objects, and not yet held against the model. */
export interface PassInputs {
  readonly tokens: Numbers<Float64Array>;
  /** Absent where the call takes none. */
  readonly targets: Numbers<Float64Array> | undefined;
  readonly gates: readonly (Numbers<Float32Array> | undefined)[];
}

/** Reads all of the caller's objects, which may run the caller's code: nothing of the model is looked at before. */
export function readPass(
  tokens: unknown,
  targets: readonly [unknown] | undefined,
  headGates: unknown,
): PassInputs {
  if (headGates !== undefined && !Array.isArray(headGates)) {
    fail('invalid-type', 'headGates', 'an array of gates', show(headGates));
  }
  return {
    tokens: toTokens('tokens', tokens),
    targets: targets && toTokens('targets', targets[0]),
    gates: Array.from((headGates ?? []) as readonly unknown[], (gate, layer) =>
      gate === undefined ? undefined : toFloatList(`headGates[${layer}]`, gate),
    ),
  };
}

function checkHeadGates(
  gates: PassInputs['gates'],
  batch: number,
  numHeads: readonly number[],
): CheckedPass['gates'] {
  if (gates.length !== 0 && gates.length !== numHeads.length) {
    const expected = `one a layer (${numHeads.length}) or none`;
    fail('invalid-shape', 'headGates', expected, String(gates.length));
  }
  return numHeads.map((heads, layer) => {
    const gate = gates[layer];
    if (gate === undefined) {
      return undefined;
    }
    const stride = checkHeadGate(gate, batch, heads, `headGates[${layer}]`);
    return { data: gate.data, count: sizeOf(gate.shape), stride };
  });
}

/** Holds the arguments of a pass against the model. */
export function checkPass(model: PassModel, inputs: PassInputs): CheckedPass {
  const { tokens, targets } = inputs;
  const shape = checkTokens(model, tokens);
  if (targets !== undefined) {
    checkShape('targets', targets.shape, shape);
    checkSymbols('targets', targets.data, ignoredTarget, model.settings.vocabularySize);
  }
  const [length = 0] = shape.slice(-1);
  const batchAxis = shape.slice(0, -1);
  const [batch = 1] = batchAxis;
  const gates = checkHeadGates(inputs.gates, batch, model.numHeads);
  return { batch, length, batchAxis, tokens: tokens.data, targets: targets?.data, gates };
}

/** How far a pass goes, in the order of `PassKind` in model_calls.cpp. */
const passKinds = ['forward', 'loss', 'gradients', 'training'] as const;
export type PassKind = (typeof passKinds)[number];

export interface PassResult {
  /** 0 of a forward. */
  readonly loss: number;
  /** (batch, length, vocabulary), of a forward; else empty. */
  readonly logits: Tensor;
  /** (batch, heads, length, length) of each layer, if they were asked for; else empty. */
  readonly attentionWeights: Tensor[];
  /** Gradients, (batch, heads) of each layer; empty without gradients. */
  readonly headGates: Tensor[];
}

const recordSize = 10;
/** Words of a `TransformerLayerPass` of the C++ library. */
const layerSize = 4;

export interface PassOptions {
  readonly returnWeights?: boolean;
  /** The address of the optimizer whose step ends a pass of training. */
  readonly optimizer?: number;
}

/** One pass: lays everything out in working memory, calls the core and copies the results out. */
export function runPass(
  { model, settings, numHeads }: PassModel,
  kind: PassKind,
  pass: CheckedPass,
  { returnWeights = false, optimizer = 0 }: PassOptions = {},
): PassResult {
  const loaded = core();
  const { batch, length, batchAxis, tokens, targets, gates } = pass;
  const rows = batch * length;
  const isForward = kind === 'forward';
  const empty = [0];
  const logitsShape = isForward ? [...batchAxis, length, settings.vocabularySize] : empty;
  const weightShapes = numHeads.map((heads) =>
    returnWeights ? [...batchAxis, heads, length, length] : empty,
  );
  const gradientShapes = numHeads.map((heads) => (kind === 'gradients' ? [batch, heads] : empty));
  const [
    record = 0,
    layers = 0,
    tokensAt = 0,
    targetsAt = 0,
    places = 0,
    logitsAt = 0,
    workspace = 0,
    ...at
  ] = reserve(
    loaded,
    recordSize,
    layerSize * numHeads.length,
    rows,
    isForward ? 0 : rows,
    isForward ? 0 : 2 * rows,
    sizeOf(logitsShape),
    loaded.modelWorkspaceSize(model, batch, length, Number(!isForward)),
    ...gates.map((gate) => gate?.count ?? 0),
    ...weightShapes.map(sizeOf),
    ...gradientShapes.map(sizeOf),
  );
  const resultOf = (shape: readonly number[]): Tensor => new Tensor(allocate(sizeOf(shape)), shape);
  const logits = resultOf(logitsShape);
  const attentionWeights = weightShapes.map(resultOf);
  const headGates = gradientShapes.map(resultOf);
  const addressOf = (part: number, layer: number): number =>
    at[part * numHeads.length + layer] ?? 0;
  writeIntegers(loaded, tokensAt, tokens);
  writeIntegers(loaded, targetsAt, targets ?? []);
  gates.forEach((gate, layer) => {
    if (gate !== undefined) {
      write(loaded, addressOf(0, layer), gate.data, gate.count);
    }
    writeIntegers(loaded, layers + 4 * layerSize * layer, [
      gate === undefined ? 0 : addressOf(0, layer),
      gate?.stride ?? 0,
      returnWeights ? addressOf(1, layer) : 0,
      kind === 'gradients' ? addressOf(2, layer) : 0,
    ]);
  });
  // The numbers that `run_model` in model_calls.cpp reads, in its order.
  writeIntegers(loaded, record, [
    passKinds.indexOf(kind),
    tokensAt,
    targetsAt,
    batch,
    length,
    layers,
    logitsAt,
    workspace,
    places,
    optimizer,
  ]);
  const loss = loaded.runModel(model, record);
  const readAll = (part: number, tensors: readonly Tensor[]): void => {
    tensors.forEach(({ data }, layer) => {
      read(loaded, addressOf(part, layer), data, data.length);
    });
  };
  read(loaded, logitsAt, logits.data, logits.data.length);
  readAll(1, attentionWeights);
  readAll(2, headGates);
  return {
    loss,
    logits,
    attentionWeights: returnWeights ? attentionWeights : [],
    headGates: kind === 'gradients' ? headGates : [],
  };
}
