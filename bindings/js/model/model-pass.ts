import { layerPass, passRecord } from 'headwise-records';
import {
  checkWeights,
  type ChosenWeights,
  type CheckedWeights,
  type GivenWeights,
} from '../layer/chosen-weights.js';
import { MultiHeadAttention } from '../layer/multi-head-attention.js';
import { writeIntegers, type Address, type Counted } from '../runtime/memory.js';
import { writeRecord } from '../runtime/records.js';
import { core } from '../runtime/wasm.js';
import { WorkingMemory } from '../runtime/working-memory.js';
import { Tensor } from '../tensor/tensor.js';
import {
  probeMemory,
  readCaptured,
  type ActivationName,
  type CapturedActivations,
  type ProbeMemory,
} from './activations.js';
import type { CheckedPass, Gate, PassInputs, PassModel } from './model-inputs.js';
import { outputTensor, readOutput, type OutputTensor } from './output-tensor.js';
import { sides, type Side } from './sides.js';

type IfWeights<Weights> = [Weights] extends [false | undefined]
  ? { attentionWeights?: undefined }
  : [Weights] extends [true | ChosenWeights]
    ? { attentionWeights: Tensor[] }
    : { attentionWeights?: Tensor[] | undefined };

type IfCaptured<Names> = [Names] extends [undefined]
  ? { captured?: undefined; crossCaptured?: undefined; encoderCaptured?: undefined }
  : [Names] extends [readonly ActivationName[]]
    ? number extends Names['length']
      ? CapturedBySide<Partial<CapturedActivations>>
      : { captured: CapturedActivations<Names[number]> } & Omit<
          CapturedBySide<Partial<CapturedActivations<Names[number]>>>,
          'captured'
        >
    : CapturedBySide<Partial<CapturedActivations>>;

interface CapturedBySide<Each> {
  captured?: Each | undefined;
  crossCaptured?: Each | undefined;
  encoderCaptured?: Each | undefined;
}

/**
 * Results of a forward:
 * - `logits` (batch, length, vocabulary), if the model has them
 * - `hidden` (batch, length, numHiddens), after the final norm
 * - `encoderHidden` (batch, source length, numHiddens), if the call has a source
 * - if requested, the attention weights of each layer, (batch, heads, queries, keys), and the captured activations
 */
export type TransformerResult<
  Weights extends boolean | ChosenWeights | undefined = boolean | ChosenWeights | undefined,
  Names extends readonly ActivationName[] | undefined = readonly ActivationName[] | undefined,
> = {
  logits?: Tensor | undefined;
  hidden: Tensor;
  encoderHidden?: Tensor | undefined;
  crossAttentionWeights?: Tensor[] | undefined;
  encoderAttentionWeights?: Tensor[] | undefined;
} & IfWeights<Weights> &
  IfCaptured<Names>;

export interface LossAndGradients {
  loss: number;
  /** Gradient of each layer's gates, (batch, heads). Gates that were not given count as 1. */
  headGates: Tensor[];
  /** The same for cross-attention and the encoder. Only for models with an encoder. */
  crossHeadGates?: Tensor[] | undefined;
  encoderHeadGates?: Tensor[] | undefined;
}

/** Empty for passes without gradients. */
type GateGradients = Omit<LossAndGradients, 'loss'>;

/** What a pass computes. The order is that of `PassKind` in model_calls.cpp. */
const passKinds = [
  ...(['forward', 'loss', 'gradients', 'training', 'lens', 'heads', 'attribution'] as const),
] as const;
export type PassKind = (typeof passKinds)[number];

type OptionalPlace = () => Address | undefined;

/** Inputs and outputs of one attention layer in a pass. */
export interface LayerInOut {
  readonly gate: Gate | undefined;
  readonly gateAt: OptionalPlace;
  readonly weights: OutputTensor | undefined;
  readonly rows: CheckedWeights;
  readonly headPlaces: OptionalPlace;
  readonly queryPlaces: OptionalPlace;
  readonly gateGradient: OutputTensor | undefined;
}

/** Sizes and requested results of all layers of a side. */
export interface SideRequest {
  readonly batch: number;
  readonly batchAxis: readonly number[];
  readonly numQueries: number;
  readonly numKeys: number;
  readonly gates: readonly (Gate | undefined)[];
  readonly returnWeights: GivenWeights;
  readonly gateGradients: boolean;
}

function layerInOut(
  memory: WorkingMemory,
  layer: MultiHeadAttention,
  gate: Gate | undefined,
  request: SideRequest,
): LayerInOut {
  const { batch, batchAxis, numQueries, numKeys } = request;
  const { numHeads } = layer;
  const rows = checkWeights(request.returnWeights, numHeads, numQueries);
  return {
    gate,
    gateAt: memory.floats(gate),
    weights: rows.returned
      ? outputTensor(memory, [...batchAxis, rows.heads.count, rows.queries.count, numKeys])
      : undefined,
    rows,
    headPlaces: memory.integers(rows.heads.places),
    queryPlaces: memory.integers(rows.queries.places),
    gateGradient: request.gateGradients ? outputTensor(memory, [batch, numHeads]) : undefined,
  };
}

export const layersInOut = (
  memory: WorkingMemory,
  layers: readonly MultiHeadAttention[],
  request: SideRequest,
): LayerInOut[] => layers.map((layer, i) => layerInOut(memory, layer, request.gates[i], request));

/** Writes the layers' records one after another. */
export function writeLayers(at: Address, layers: readonly LayerInOut[]): void {
  const words = layers.flatMap((layer) => {
    const { gate, rows, weights, gateGradient } = layer;
    return layerPass.pack({
      headGate: layer.gateAt(),
      gateStride: gate?.stride ?? 0,
      attentionWeights: weights?.at(),
      weightHeads: layer.headPlaces(),
      weightQueries: layer.queryPlaces(),
      numWeightHeads: rows.heads.count,
      numWeightQueries: rows.queries.count,
      headGateGradient: gateGradient?.at(),
    });
  });
  writeIntegers(at, words);
}

const gatesOf = (layers: readonly LayerInOut[]): Tensor[] =>
  layers.flatMap(({ gateGradient }) => (gateGradient ? [readOutput(gateGradient)] : []));

/** Copies the gates' gradients out of WebAssembly memory; empty if there are none. */
export const gateGradientsOf = (
  { settings }: PassModel,
  layers: Readonly<Record<Side, readonly LayerInOut[]>>,
): GateGradients => ({
  headGates: gatesOf(layers.self),
  ...(settings.hasEncoder && {
    crossHeadGates: gatesOf(layers.cross),
    encoderHeadGates: gatesOf(layers.encoder),
  }),
});

/** Copies the weights of each layer out of WebAssembly memory; empty if they are not returned. */
export const weightsOf = (layers: readonly LayerInOut[]): Tensor[] =>
  layers.flatMap(({ weights }) => (weights ? [readOutput(weights)] : []));

export interface PassResult {
  /** 0 for a forward. */
  readonly loss: number;
  /** Empty except for a forward. */
  readonly result: TransformerResult;
  readonly gateGradients: GateGradients;
  readonly analysed?: Tensor;
}

export interface PassRequest extends Pick<PassInputs, 'returnWeights' | 'requiresGrad'> {
  readonly kind: PassKind;
  /** The optimizer whose step ends a training pass. */
  readonly optimizer?: Address;
  readonly analysis?: Analysis;
}

/** The options of passes for a loss and its gradients. */
export const plainPass = { returnWeights: false, requiresGrad: false } as const;

function resultOf(
  request: PassRequest,
  outputs: Readonly<Record<'logits' | 'hidden' | 'encoderHidden', OutputTensor | undefined>>,
  layers: Readonly<Record<Side, readonly LayerInOut[]>>,
  probe: ProbeMemory | undefined,
): TransformerResult {
  const { logits, hidden, encoderHidden } = outputs;
  const hasCross = layers.cross.length > 0;
  const hasEncoded = encoderHidden !== undefined;
  return {
    ...(logits && { logits: readOutput(logits) }),
    hidden: hidden ? readOutput(hidden) : new Tensor([], [0]),
    ...(encoderHidden && { encoderHidden: readOutput(encoderHidden) }),
    ...(request.returnWeights !== false && {
      attentionWeights: weightsOf(layers.self),
      ...(hasCross && { crossAttentionWeights: weightsOf(layers.cross) }),
      ...(hasEncoded && { encoderAttentionWeights: weightsOf(layers.encoder) }),
    }),
    ...(probe && {
      captured: readCaptured(probe, 'self'),
      ...(hasCross && { crossCaptured: readCaptured(probe, 'cross') }),
      ...(hasEncoded && { encoderCaptured: readCaptured(probe, 'encoder') }),
    }),
  };
}

/** Tells each layer the shapes of its pending backward pass. */
function tellLayers({ settings, layers }: PassModel, pass: CheckedPass): void {
  const { batch, length, sourceLength } = pass;
  const queries = [batch, length, settings.numHiddens];
  const source = [batch, sourceLength, settings.numHiddens];
  const shapes = {
    self: { queries, keys: queries, values: queries },
    cross: { queries, keys: source, values: source },
    encoder: { queries: source, keys: source, values: source },
  };
  for (const side of sides) {
    for (const layer of layers[side]) {
      MultiHeadAttention.followModel(layer, { pending: shapes[side] });
    }
  }
}

/** One pass: writes the inputs to working memory, calls the core and copies the results out. */
export function runPass(model: PassModel, pass: CheckedPass, request: PassRequest): PassResult {
  const loaded = core();
  const { settings } = model;
  const { batch, length, batchAxis, sourceLength, validLens, sourceValidLens, cache } = pass;
  const { keyMask, sourceKeyMask } = pass;
  const { kind, requiresGrad, optimizer } = request;
  const isForward = kind === 'forward';
  const hasSource = pass.source !== undefined;
  const memory = new WorkingMemory();
  const record = memory.add(passRecord.words);
  const layersAt = memory.add(
    layerPass.words * sides.reduce((count, side) => count + model.layers[side].length, 0),
  );
  const tokens = memory.integers(pass.tokens);
  const targets = memory.integers(pass.targets);
  const segments = memory.integers(pass.segments);
  const source = memory.integers(pass.source);
  const lens = memory.integers(validLens.lengths);
  const sourceLens = memory.integers(sourceValidLens.lengths);
  const keyMaskAt = memory.bytes(keyMask);
  const sourceKeyMaskAt = memory.bytes(sourceKeyMask);
  const ranges = memory.add(2 * batch);
  const sourceRanges = memory.add(2 * batch);
  const pixels = memory.floats(pass.pixels);
  const embeddings = memory.floats(pass.embeddings);
  const { analysis } = request;
  const stream = memory.floats(analysis?.from?.stream);
  const probe = probeMemory(memory, pass.probe);
  const lensLayers = memory.integers(analysis?.layers);
  const against = memory.integers(analysis?.against);
  const analysed = analysis && outputTensor(memory, analysis.shape);
  const outputIf = (wanted: boolean, shape: readonly number[]): OutputTensor | undefined =>
    wanted ? outputTensor(memory, [...batchAxis, ...shape]) : undefined;
  const { numHiddens, vocabularySize, head } = settings;
  const outputs = {
    logits: outputIf(isForward && head, [length, vocabularySize]),
    hidden: outputIf(isForward, [length, numHiddens]),
    encoderHidden: outputIf(isForward && hasSource, [sourceLength, numHiddens]),
  };
  const inOut = (side: Side, sizes: Pick<SideRequest, 'numQueries' | 'numKeys'>): LayerInOut[] => {
    const { returnWeights } = request;
    return layersInOut(memory, model.layers[side], {
      ...{ batch, batchAxis, ...sizes },
      gates: pass.gates[side],
      // If the source is cached, the encoder does not run.
      returnWeights: side === 'encoder' ? hasSource && returnWeights !== false : returnWeights,
      gateGradients: kind === 'gradients',
    });
  };
  const layers = {
    self: inOut('self', { numQueries: length, numKeys: pass.numKeys }),
    cross: inOut('cross', { numQueries: length, numKeys: pass.numSourceKeys }),
    encoder: inOut('encoder', { numQueries: sourceLength, numKeys: sourceLength }),
  };
  const workspace = memory.add(
    loaded.modelWorkspaceSize(
      model.model,
      passKinds.indexOf(kind),
      batch * (analysis?.copies ?? 1),
      length,
      pass.numKeys,
      sourceLength,
      pass.numSourceKeys,
      Number(requiresGrad) + 2 * Number(cache?.isQuantized ?? false) + 4 * probe.names,
      (analysis?.layers?.length ?? 0) * batch * (analysis?.positions?.length ?? 0),
    ),
  );
  memory.reserve();
  writeLayers(
    layersAt(),
    sides.flatMap((side) => layers[side]),
  );
  writeRecord(record(), passRecord, {
    kind: passKinds.indexOf(kind),
    tokens: tokens(),
    pixels: pixels(),
    embeddings: embeddings(),
    stream: stream(),
    firstLayer: analysis?.from?.layer ?? 0,
    segments: segments(),
    targets: targets(),
    batch,
    length,
    validLens: lens(),
    validLensSampleStride: validLens.sampleStride,
    validLensQueryStride: validLens.queryStride,
    keyMask: keyMaskAt(),
    keyRanges: keyMask && ranges(),
    source: source(),
    sourceValidLens: sourceLens(),
    sourceKeyMask: sourceKeyMaskAt(),
    sourceKeyRanges: sourceKeyMask && sourceRanges(),
    sourceLength,
    layers: layersAt(),
    cache: cache?.address,
    ...probe.write(writeIntegers),
    hidden: (kind === 'heads' ? analysed : outputs.hidden)?.at(),
    logits: (kind === 'lens' ? analysed : outputs.logits)?.at(),
    encoderHidden: outputs.encoderHidden?.at(),
    lensLayers: lensLayers(),
    numLensLayers: analysis?.layers?.length ?? 0,
    against: against(),
    attribution: kind === 'attribution' ? analysed?.at() : undefined,
    lastLogits: false,
    requiresGrad,
    workspace: workspace(),
    optimizer: optimizer,
  });
  const loss = loaded.runModel(model.model, record());
  if (requiresGrad) {
    tellLayers(model, pass);
  }
  return {
    loss,
    result: resultOf(request, outputs, layers, pass.probe.isCaptured ? probe : undefined),
    gateGradients: gateGradientsOf(model, layers),
    ...(analysed && { analysed: readOutput(analysed) }),
  };
}

/** What the logit lens, patched heads or an attribution read, and the shape of the result. */
export interface Analysis {
  readonly kind: 'lens' | 'heads' | 'attribution';
  readonly shape: readonly number[];
  /** Undefined for all. */
  readonly positions: Int32Array | undefined;
  /** Of the logit lens. */
  readonly layers?: Int32Array;
  /** Of patched heads: how many run side by side. */
  readonly copies?: number;
  /** Likewise: the residual stream that enters a layer, where the pass begins. */
  readonly from?: { readonly layer: number; readonly stream: Counted };
  /** Of an attribution: a token of each sample. */
  readonly targets?: Float64Array;
  readonly against?: Float64Array | undefined;
}

export function analyse(model: PassModel, pass: CheckedPass, analysis: Analysis): Tensor {
  const { positions, targets } = analysis;
  const { analysed } = runPass(
    model,
    { ...pass, targets, probe: { ...pass.probe, positions } },
    { kind: analysis.kind, ...plainPass, analysis },
  ) as Required<PassResult>;
  return analysed;
}
