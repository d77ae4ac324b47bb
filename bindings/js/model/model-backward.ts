import { layerPass, modelBackwardRecord } from 'headwise-records';
import { fail, failOption, HeadwiseError } from '../runtime/errors.js';
import type { Address } from '../runtime/memory.js';
import { checkOptions, ifGiven } from '../runtime/options.js';
import { writeRecord } from '../runtime/records.js';
import { core } from '../runtime/wasm.js';
import { WorkingMemory } from '../runtime/working-memory.js';
import { checkTensor, counted, toFloats, type Numbers } from '../tensor/arrays.js';
import type { TensorInput } from '../tensor/inputs.js';
import type { Tensor } from '../tensor/tensor.js';
import type { PassModel } from './model-inputs.js';
import { outputTensor, readOutput } from './output-tensor.js';
import { bySide, sides } from './sides.js';
import { gateGradientsOf, layersInOut, writeLayers, type LayerInOut } from './model-pass.js';

/** Gradients of a forward's results. Give at least one. */
export interface TransformerOutputGradients {
  hidden?: TensorInput | undefined;
  logits?: TensorInput | undefined;
}

/**
 * Gradients of a model's gates and, for models that read images, of the pixels. The model holds the gradients of its
 * parameters.
 */
export interface TransformerGradients {
  /** Gradient of each layer's gates, (batch, heads). Gates that were not given count as 1. */
  headGates: Tensor[];
  /** The same for cross-attention and the encoder. Only for models with an encoder. */
  crossHeadGates?: Tensor[] | undefined;
  encoderHeadGates?: Tensor[] | undefined;
  /** Of the pixels' shape. Only for models that read images. */
  pixels?: Tensor | undefined;
  /** Of the embeddings' shape. Only after a forward that was given embeddings. */
  embeddings?: Tensor | undefined;
}

/** Sizes of the pending backward pass. */
export interface PendingPass {
  readonly batchAxis: readonly number[];
  readonly batch: number;
  readonly length: number;
  readonly hasEmbeddings: boolean;
}

interface OutputGradients {
  readonly hidden: Numbers<Float32Array> | undefined;
  readonly logits: Numbers<Float32Array> | undefined;
}

/** Fails unless a backward is pending, and parameters and saved activations are unchanged. */
export function checkPendingModel(model: Address): void {
  if (core().modelIsPending(model) === 0) {
    throw new HeadwiseError(
      'no-pending-backward',
      'backward: expected a forward with requiresGrad since the last backward, and no change of parameters, got none',
    );
  }
}

/** Reads the gradient of `hidden`, or an object with gradients by name. */
export function readOutputGradients(
  given: TensorInput | TransformerOutputGradients,
): OutputGradients {
  const isTensor =
    Array.isArray(given) || typeof given !== 'object' || (given as object | null) === null;
  if (isTensor || 'data' in given) {
    return { hidden: toFloats('hidden', given), logits: undefined };
  }
  const { hidden, logits } = checkOptions(
    given as TransformerOutputGradients,
    ['hidden', 'logits'],
    'gradients',
  );
  if (hidden === undefined && logits === undefined) {
    failOption('backward', 'a gradient of hidden or logits', given);
  }
  return {
    hidden: ifGiven('hidden', hidden, toFloats),
    logits: ifGiven('logits', logits, toFloats),
  };
}

/** One backward pass: writes the gradients to working memory, calls the core and copies the results out. */
export function runModelBackward(
  model: PassModel,
  pending: PendingPass,
  gradients: OutputGradients,
): TransformerGradients {
  const loaded = core();
  const { settings, layers } = model;
  const { batchAxis, batch, length } = pending;
  const { hidden, logits } = gradients;
  if (hidden !== undefined) {
    checkTensor('hidden', hidden, [...batchAxis, length, settings.numHiddens]);
  }
  if (logits !== undefined) {
    if (!settings.head) {
      fail('invalid-option', 'logits', 'none for a model without', 'a gradient');
    }
    checkTensor('logits', logits, [...batchAxis, length, settings.vocabularySize]);
  }
  const memory = new WorkingMemory();
  const record = memory.add(modelBackwardRecord.words);
  const numLayers = sides.reduce((count, side) => count + layers[side].length, 0);
  const layersAt = memory.add(layerPass.words * numLayers);
  const hiddenAt = memory.floats(hidden && counted(hidden));
  const logitsAt = memory.floats(logits && counted(logits));
  const inOut = (side: (typeof sides)[number]): LayerInOut[] =>
    layersInOut(memory, layers[side], {
      ...{ batch, batchAxis, numQueries: 0, numKeys: 0, gates: [] },
      ...{ returnWeights: false, gateGradients: true },
    });
  const inOuts = bySide(inOut);
  const { channels, imageSize, hasPatches } = settings;
  const pixels = hasPatches
    ? outputTensor(memory, [...batchAxis, channels, imageSize, imageSize])
    : undefined;
  const embeddings = pending.hasEmbeddings
    ? outputTensor(memory, [...batchAxis, length, settings.numHiddens])
    : undefined;
  const workspace = memory.add(loaded.modelBackwardWorkspaceSize(model.model));
  memory.reserve();
  writeLayers(
    layersAt(),
    sides.flatMap((side) => inOuts[side]),
  );
  writeRecord(record(), modelBackwardRecord, {
    hidden: hiddenAt(),
    logits: logitsAt(),
    layers: layersAt(),
    pixels: pixels?.at(),
    embeddings: embeddings?.at(),
    workspace: workspace(),
  });
  loaded.backwardModel(model.model, record());
  return {
    ...gateGradientsOf(model, inOuts),
    ...(pixels && { pixels: readOutput(pixels) }),
    ...(embeddings && { embeddings: readOutput(embeddings) }),
  };
}
