import { layerPass, passRecord } from 'headwise-records';
import { checkHeadGate } from '../layer/head-gate.js';
import type { ResultWithWeights } from '../layer/results.js';
import { fail, show, showShape } from '../runtime/errors.js';
import {
  absent,
  allocate,
  read,
  reserve,
  write,
  writeIntegers,
  type Address,
} from '../runtime/memory.js';
import { writeRecord } from '../runtime/records.js';
import { core } from '../runtime/wasm.js';
import { toFloatList, type Numbers } from '../tensor/arrays.js';
import type { TensorInput } from '../tensor/inputs.js';
import { checkShape, sizeOf } from '../tensor/shapes.js';
import { Tensor } from '../tensor/tensor.js';
import { checkSymbols, ignoredTarget, toTokens } from '../tensor/tokens.js';
import type { TransformerSettings } from './transformer-options.js';

/** One gate a layer, as `forward` of a layer takes it, or undefined for a layer without. */
export type HeadGates = readonly (TensorInput | Float32Array | Float64Array | undefined)[];

export interface HeadGatesOptions {
  /**
   * One gate a layer, as the layer's `forward` takes it: one number a head, or (batch, heads); undefined for a layer
   * without. Default: none.
   */
  headGates?: HeadGates | undefined;
}

export interface TransformerForwardOptions extends HeadGatesOptions {
  /** Whether to return the attention weights of every layer. Default: no, and then they are never stored. */
  returnWeights?: boolean | undefined;
}

/**
 * Logits (batch, length, vocabulary) and, if `returnWeights` asked for them, the attention weights of each layer (batch,
 * heads, queries, keys).
 */
export type TransformerResult<Weights extends boolean = boolean> = ResultWithWeights<
  { logits: Tensor },
  Tensor[],
  Weights
>;

export interface LossAndGradients {
  loss: number;
  /** Gradient of each layer's gates, (batch, heads): a row a sample. Where no gate was given, at gate 1. */
  headGates: Tensor[];
}

/** What a pass needs of its model. */
export interface PassModel {
  /** In WebAssembly memory. */
  readonly model: Address;
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

export interface PassOptions {
  readonly returnWeights?: boolean;
  /** The optimizer whose step ends a pass of training. */
  readonly optimizer?: Address;
}

/** One pass: lays everything out in working memory, calls the core and copies the results out. */
export function runPass(
  { model, settings, numHeads }: PassModel,
  kind: PassKind,
  pass: CheckedPass,
  { returnWeights = false, optimizer }: PassOptions = {},
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
  const [record, layers, tokensAt, targetsAt, logitsAt, workspace, ...at] = reserve(
    passRecord.words,
    layerPass.words * numHeads.length,
    rows,
    isForward ? 0 : rows,
    sizeOf(logitsShape),
    loaded.modelWorkspaceSize(model, batch, length, passKinds.indexOf(kind)),
    ...gates.map((gate) => gate?.count ?? 0),
    ...weightShapes.map(sizeOf),
    ...gradientShapes.map(sizeOf),
  );
  const numLayers = numHeads.length;
  const gatesAt = at.slice(0, numLayers);
  const weightsAt = at.slice(numLayers, 2 * numLayers);
  const gradientsAt = at.slice(2 * numLayers);
  const resultOf = (shape: readonly number[]): Tensor => new Tensor(allocate(sizeOf(shape)), shape);
  const logits = resultOf(logitsShape);
  const attentionWeights = weightShapes.map(resultOf);
  const headGates = gradientShapes.map(resultOf);
  writeIntegers(tokensAt, tokens);
  writeIntegers(targetsAt, targets ?? []);
  const layerWords = gates.flatMap((gate, layer) => {
    if (gate !== undefined) {
      write(gatesAt[layer], gate.data, gate.count);
    }
    return layerPass.pack({
      headGate: gate === undefined ? absent : gatesAt[layer],
      gateStride: gate?.stride ?? 0,
      attentionWeights: returnWeights ? weightsAt[layer] : absent,
      headGateGradient: kind === 'gradients' ? gradientsAt[layer] : absent,
    });
  });
  writeIntegers(layers, layerWords);
  writeRecord(record, passRecord, {
    kind: passKinds.indexOf(kind),
    tokens: tokensAt,
    targets: targetsAt,
    batch,
    length,
    layers,
    logits: logitsAt,
    workspace,
    optimizer: optimizer ?? absent,
  });
  const loss = loaded.runModel(model, record);
  const readAll = (addresses: readonly Address[], tensors: readonly Tensor[]): void => {
    tensors.forEach(({ data }, layer) => {
      read(addresses[layer], data, data.length);
    });
  };
  readAll([logitsAt], [logits]);
  readAll(weightsAt, attentionWeights);
  readAll(gradientsAt, headGates);
  return {
    loss,
    logits,
    attentionWeights: returnWeights ? attentionWeights : [],
    headGates: kind === 'gradients' ? headGates : [],
  };
}
