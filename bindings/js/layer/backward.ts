import { backwardRecord } from 'headwise-records';
import { HeadwiseError } from '../runtime/errors.js';
import { reserve, sizesDeduplicated, writeDeduplicated, type Address } from '../runtime/memory.js';
import { checkOptions } from '../runtime/options.js';
import { writeRecord } from '../runtime/records.js';
import { core } from '../runtime/wasm.js';
import { checkTensor, counted, type Numbers } from '../tensor/arrays.js';
import type { Tensor } from '../tensor/tensor.js';
import type { LayerSettings } from './layer-options.js';
import { placeOf, readResult, readTarget, resultIn, type Target } from './results.js';

/** Gradients of what a forward was given. Those of its parameters are in the layer. */
export interface Gradients {
  /** Of the shape of what was given, as the next two. */
  queries: Tensor;
  keys: Tensor;
  values: Tensor;
  /** (batch, heads), a row a sample; (1, heads) without a batch axis. Where no gate was given, at gate 1. */
  headGate: Tensor;
}

const gradientNames = ['queries', 'keys', 'values', 'headGate'] as const;

/** Memory of the right sizes that gradients are written to, and returned in. */
export type GradientsOut = {
  [Name in keyof Gradients]?: Float32Array | Tensor | undefined;
};

export interface BackwardOptions {
  /** Memory to write the gradients to, each its own. Default: new. Source: PyTorch's `out=`. */
  out?: GradientsOut | undefined;
}

/** The caller's memory for the gradients, as it was read. */
export type GradientTargets = readonly (Target | undefined)[];

export function readBackwardOptions(options: BackwardOptions | undefined): GradientTargets {
  const out = checkOptions(checkOptions(options, ['out']).out, gradientNames, 'out');
  return gradientNames.map((name) => readTarget(`out.${name}`, out[name]));
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

/**
 * One backward pass: checks, lays everything out in working memory, calls the core and copies out what lies there. Where
 * two results are to be written to the same memory, the later one is there at the end.
 */
export function runBackward(
  layer: Address,
  settings: LayerSettings,
  shapes: PendingShapes,
  gradOutput: Numbers<Float32Array>,
  targets: GradientTargets,
): Gradients {
  const loaded = core();
  checkTensor('gradOutput', gradOutput, [...shapes.queries.slice(0, -1), settings.outputSize]);
  const batch = shapes.queries.length === 2 ? 1 : (shapes.queries[0] ?? 0);
  const shapesOf = { ...shapes, headGate: [batch, settings.numHeads] };
  const results = gradientNames.map((name, i) =>
    resultIn(`out.${name}`, targets[i], shapesOf[name]),
  );
  const given = [counted(gradOutput)];
  const places = results.map((result, i) => placeOf(result, [...given, ...results.slice(0, i)]));
  const [record, grad, workspace, ...own] = reserve(
    backwardRecord.words,
    ...sizesDeduplicated(given),
    loaded.backwardWorkspaceSize(layer),
    ...places.map(([, size]) => size),
  );
  const at = places.map(([place], i) => place ?? own[i]);
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
  return Object.fromEntries(
    results.map((result, i) => [gradientNames[i], readResult(result, at[i])]),
  ) as unknown as Gradients;
}
