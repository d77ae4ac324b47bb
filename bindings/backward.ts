import { checkAttached, sizeOf, type Numbers } from './arrays.js';
import { resultIn } from './attention-weights.js';
import { core, read, reserve, write, writeIntegers } from './core.js';
import { HeadwiseError } from './errors.js';
import type { LayerSettings } from './layer-options.js';
import { checkShape } from './shapes.js';
import type { Tensor } from './tensor.js';

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
export function checkPending(layer: number): void {
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
  layer: number,
  settings: LayerSettings,
  shapes: PendingShapes,
  gradOutput: Numbers<Float32Array>,
): Gradients {
  const loaded = core();
  checkAttached('gradOutput', gradOutput);
  checkShape('gradOutput', gradOutput.shape, [...shapes.queries.slice(0, -1), settings.outputSize]);
  const batch = shapes.queries.length === 2 ? 1 : (shapes.queries[0] ?? 0);
  const zeros = (shape: readonly number[]): Tensor => resultIn('gradient', undefined, shape).tensor;
  const result: Gradients = {
    queries: zeros(shapes.queries),
    keys: zeros(shapes.keys),
    values: zeros(shapes.values),
    headGate: zeros([batch, settings.numHeads]),
  };
  const parts = [result.queries, result.keys, result.values, result.headGate];
  const [record = 0, grad = 0, workspace = 0, ...at] = reserve(
    loaded,
    parts.length + 2,
    sizeOf(gradOutput.shape),
    loaded.backwardWorkspaceSize(layer),
    ...parts.map(({ shape }) => sizeOf(shape)),
  );
  write(loaded, grad, gradOutput.data, sizeOf(gradOutput.shape));
  writeIntegers(loaded, record, [grad, ...at, workspace]);
  loaded.backward(layer, record);
  parts.forEach((part, i) => {
    read(loaded, at[i] ?? 0, part.data, part.data.length);
  });
  return result;
}
