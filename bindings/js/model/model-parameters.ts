import { parameterDescriptions, type ParameterDescription } from 'headwise-records';
import { checkStateDict, readTensors, writeTensors, type StateDict } from '../layer/parameters.js';
import { toDict } from '../layer/from-state-dict.js';
import type { Absent, Address } from '../runtime/memory.js';
import { receive } from '../runtime/records.js';
import { core } from '../runtime/wasm.js';
import type { TensorsByName } from '../tensor/integers.js';

const parametersOf = (model: Address): readonly ParameterDescription[] =>
  receive(parameterDescriptions, core().modelParameters(model)).parameters;

/** Copies all parameters, or their gradients. Gradients that do not exist yet are zeros. */
export const readModelParameters = (model: Address, kind: 'values' | 'gradient'): StateDict =>
  readTensors(parametersOf(model), ({ [kind]: address }) => address as Address | Absent);

/** Loads all parameters, or none. `inUse` is called after the last of the caller's code has run. */
export function loadModelParameters(inUse: () => Address, dict: TensorsByName): void {
  const tensors = toDict(dict);
  const model = inUse();
  const parameters = parametersOf(model);
  checkStateDict(tensors, parameters);
  writeTensors(parameters, tensors, ({ values }) => values as Address);
  core().modelParametersChanged(model);
}
