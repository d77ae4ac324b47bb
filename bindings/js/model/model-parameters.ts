import { modelMemory, namedTensors } from 'headwise-records';
import { namesAndShapes, toDict } from '../layer/from-state-dict.js';
import {
  readGradients,
  readParameters,
  readValues,
  reserveForWriting,
  writeValues,
  type Parameter,
  type StateDict,
} from '../layer/parameters.js';
import type { Address } from '../runtime/memory.js';
import { receive, send } from '../runtime/records.js';
import { core } from '../runtime/wasm.js';
import type { TensorsByName } from '../tensor/integers.js';

/** What a model holds in memory, without caches and the working memory that all calls share. */
export interface ModelMemory {
  /** Numbers in all parameters. */
  readonly numParameters: number;
  /** Bytes of these numbers, whether they are packed for products or not. */
  readonly parameterBytes: number;
  /** 0 before the first pass that required gradients. */
  readonly gradientBytes: number;
}

export const memoryOf = (model: Address): ModelMemory =>
  receive(modelMemory, core().modelMemory(model));

const parametersOf = (model: Address): readonly Parameter[] =>
  readParameters(core().modelParameters(model));

/** Copies all parameters. */
export const readModelParameters = (model: Address): StateDict => readValues(parametersOf(model));

/** Copies the parameters' gradients. Those that do not exist yet are zeros. */
export const readModelGradients = (model: Address): StateDict => readGradients(parametersOf(model));

/** Loads all parameters, or none. `inUse` is called after the last of the caller's code has run. */
export function loadModelParameters(inUse: () => Address, dict: TensorsByName): void {
  const tensors = toDict(dict);
  const model = inUse();
  core().checkModelTensors(model, send(namedTensors, { tensors: namesAndShapes(tensors) }));
  writeValues(parametersOf(model), tensors, reserveForWriting(tensors));
  core().modelParametersChanged(model);
}
