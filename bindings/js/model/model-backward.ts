import { modelBackwardRecord } from 'headwise-records';
import { checkOptions, ifGiven } from '../runtime/options.js';
import { writeRecord } from '../runtime/records.js';
import { commit, core } from '../runtime/wasm.js';
import { toFloats, type Numbers } from '../tensor/arrays.js';
import { giveTensors } from '../tensor/given-tensors.js';
import type { TensorInput } from '../tensor/inputs.js';
import type { Tensor } from '../tensor/tensor.js';
import type { PassModel } from './model-inputs.js';
import { gateGradientsOf } from './model-pass.js';
import { ModelResults } from './model-results.js';

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

interface OutputGradients {
  readonly hidden: Numbers<Float32Array> | undefined;
  readonly logits: Numbers<Float32Array> | undefined;
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
  return {
    hidden: ifGiven('hidden', hidden, toFloats),
    logits: ifGiven('logits', logits, toFloats),
  };
}

/** `batchAxis` is that of the pending forward, which results lack, or undefined. */
export function runModelBackward(
  model: PassModel,
  batchAxis: number | undefined,
  gradients: OutputGradients,
): TransformerGradients {
  const { record, given } = giveTensors(modelBackwardRecord.words, [
    ['hidden', gradients.hidden],
    ['logits', gradients.logits],
  ]);
  const [hidden, logits] = given;
  writeRecord(record, modelBackwardRecord, { hidden, logits });
  const results = new ModelResults(batchAxis);
  commit(() => {
    core().backwardModel(model.model, record);
  }, results);
  const [pixels, embeddings] = [results.tensor('pixels'), results.tensor('embeddings')];
  return {
    ...gateGradientsOf(model, results),
    ...(pixels && { pixels }),
    ...(embeddings && { embeddings }),
  };
}
