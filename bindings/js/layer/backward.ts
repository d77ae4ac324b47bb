import { backwardRecord } from 'headwise-records';
import { HeadwiseError } from '../runtime/errors.js';
import {
  read,
  reserve,
  sizesDeduplicated,
  writeDeduplicated,
  type Address,
} from '../runtime/memory.js';
import { writeRecord } from '../runtime/records.js';
import { core } from '../runtime/wasm.js';
import { checkTensor, counted, type Numbers } from '../tensor/arrays.js';
import { Tensor } from '../tensor/tensor.js';
import type { LayerSettings } from './layer-options.js';

/** Gradients of what a forward was given. Those of its parameters are in the layer. */
export interface Gradients {
  /** Of the shape of what was given, as the next two. */
  queries: Tensor;
  keys: Tensor;
  values: Tensor;
  /** (batch, heads), a row a sample; (1, heads) without a batch axis. Where no gate was given, at gate 1. */
  headGate: Tensor;
}

/** Shapes of the inputs of a forward that is to be gone back from. */
export interface PendingShapes {
  readonly queries: readonly number[];
  readonly keys: readonly number[];
  readonly values: readonly number[];
}

/** Fails unless the layer has a forward to go back from, whose parameters are what they were. */
export function checkPending(layer: Address): void {
  // The order is that of `PendingBackward` in forward_record.hpp.
  const got = ['none', undefined, 'one whose parameters have changed since'][
    core().pendingBackward(layer)
  ];
  if (got !== undefined) {
    throw new HeadwiseError(
      'no-pending-backward',
      `backward: expected a forward with requiresGrad since the last backward, got ${got}`,
    );
  }
}

/** One backward pass: checks, lays everything out in working memory, calls the core and copies the results out. */
export function runBackward(
  layer: Address,
  settings: LayerSettings,
  shapes: PendingShapes,
  gradOutput: Numbers<Float32Array>,
): Gradients {
  const loaded = core();
  checkTensor('gradOutput', gradOutput, [...shapes.queries.slice(0, -1), settings.outputSize]);
  const batch = shapes.queries.length === 2 ? 1 : (shapes.queries[0] ?? 0);
  const result: Gradients = {
    queries: Tensor.zeros(shapes.queries),
    keys: Tensor.zeros(shapes.keys),
    values: Tensor.zeros(shapes.values),
    headGate: Tensor.zeros([batch, settings.numHeads]),
  };
  const parts = [result.queries, result.keys, result.values, result.headGate];
  const given = [counted(gradOutput)];
  const [record, grad, workspace, ...at] = reserve(
    backwardRecord.words,
    ...sizesDeduplicated(given),
    loaded.backwardWorkspaceSize(layer),
    ...parts.map(({ data }) => data.length),
  );
  const [queries, keys, values, headGate] = at;
  writeRecord(record, backwardRecord, {
    gradOutput: writeDeduplicated([grad], given)[0],
    queries,
    keys,
    values,
    headGate,
    workspace,
  });
  loaded.backward(layer, record);
  parts.forEach(({ data }, i) => {
    read(at[i], data);
  });
  return result;
}
