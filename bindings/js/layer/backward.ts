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

/** Gradients of a forward's inputs. The layer holds those of its parameters. */
export interface Gradients {
  /** The gradients of queries, keys and values have the shapes of these inputs. */
  queries: Tensor;
  keys: Tensor;
  values: Tensor;
  /** (batch, heads); (1, heads) without a batch axis. A gate that was not given counts as 1. */
  headGate: Tensor;
}

const gradientNames = ['queries', 'keys', 'values', 'headGate'] as const;

/** Memory to write the gradients to, each as large as its gradient. The returned tensors use it. */
export type GradientsOut = {
  [Name in keyof Gradients]?: Float32Array | Tensor | undefined;
};

export interface BackwardOptions {
  /** Memory to write each gradient to. Default: newly allocated. Source: PyTorch's `out=`. */
  out?: GradientsOut | undefined;
}

/** The caller's memory for the gradients. */
export type GradientTargets = readonly (Target | undefined)[];

export function readBackwardOptions(options: BackwardOptions | undefined): GradientTargets {
  const out = checkOptions(checkOptions(options, ['out']).out, gradientNames, 'out');
  return gradientNames.map((name) => readTarget(`out.${name}`, out[name]));
}

/** Shapes of the inputs of the pending backward pass. */
export interface PendingShapes {
  readonly queries: readonly number[];
  readonly keys: readonly number[];
  readonly values: readonly number[];
}

/** Fails unless a backward is pending and the parameters are unchanged. */
export function checkPending(layer: Address): void {
  // The order is that of `PendingBackward` in saved_activations.hpp.
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
 * One backward pass: checks the gradient, writes it to working memory, calls the core and copies the results out. If
 * two results share memory, the memory holds the later result afterwards.
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
