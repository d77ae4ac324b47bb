import { parameterDescriptions, type ParameterDescription } from 'headwise-records';
import { checkStateDict, type StateDict } from '../layer/parameters.js';
import { toDict } from '../layer/from-state-dict.js';
import { read, write, type Address } from '../runtime/memory.js';
import { receive } from '../runtime/records.js';
import { core } from '../runtime/wasm.js';
import type { TensorsByName } from '../tensor/integers.js';
import { sizeOf } from '../tensor/shapes.js';
import { Tensor } from '../tensor/tensor.js';

const parametersOf = (model: Address): readonly ParameterDescription[] =>
  receive(parameterDescriptions, core().modelParameters(model)).parameters;

/** Copies of all parameters, or of their gradients: zeros where there are none yet. */
export function readModelParameters(model: Address, kind: 'values' | 'gradient'): StateDict {
  const tensors: StateDict = {};
  for (const parameter of parametersOf(model)) {
    const tensor = Tensor.zeros(parameter.shape);
    const { [kind]: address } = parameter;
    if (address !== 0) {
      read(address as Address, tensor.data, tensor.data.length);
    }
    tensors[parameter.name] = tensor;
  }
  return tensors;
}

/** Takes over all parameters of a dict, which `inUse` runs no more of the caller's code for, or none. */
export function loadModelParameters(inUse: () => Address, dict: TensorsByName): void {
  const tensors = toDict(dict);
  const model = inUse();
  const parameters = parametersOf(model);
  checkStateDict(tensors, parameters);
  for (const { name, values } of parameters) {
    const tensor = tensors.get(name);
    if (tensor !== undefined) {
      write(values as Address, tensor.data, sizeOf(tensor.shape));
    }
  }
  core().modelParametersChanged(model);
}
