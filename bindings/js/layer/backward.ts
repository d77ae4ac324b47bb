import { backwardRecord } from 'headwise-records';
import type { Address } from '../runtime/memory.js';
import { checkOptions } from '../runtime/options.js';
import { writeRecord } from '../runtime/records.js';
import { commit, core } from '../runtime/wasm.js';
import type { Numbers } from '../tensor/arrays.js';
import { giveTensors } from '../tensor/given-tensors.js';
import type { Tensor } from '../tensor/tensor.js';
import { CallResults, firstGradient, gradientNames } from './call-results.js';
import { readTarget, type Targets } from './results.js';

/** Gradients of a forward's inputs. The layer holds those of its parameters. */
export interface Gradients {
  /** The gradients of queries, keys and values have the shapes of these inputs. */
  queries: Tensor;
  keys: Tensor;
  values: Tensor;
  /** (batch, heads); (1, heads) without a batch axis. A gate that was not given counts as 1. */
  headGate: Tensor;
}

/** Memory to write the gradients to, each as large as its gradient. The returned tensors use it. */
export type GradientsOut = {
  [Name in keyof Gradients]?: Float32Array | Tensor | undefined;
};

export interface BackwardOptions {
  /** Memory to write each gradient to. Default: newly allocated. Source: PyTorch's `out=`. */
  out?: GradientsOut | undefined;
}

/** Reads the caller's memory for the gradients. */
export function readBackwardOptions(options: BackwardOptions | undefined): Targets {
  const out = checkOptions(checkOptions(options, ['out']).out, gradientNames, 'out');
  return Object.fromEntries(
    gradientNames.map((name) => [name, readTarget(`out.${name}`, out[name])]),
  );
}

/** One backward pass: writes the gradient to working memory, calls the core and copies the results out. */
export function runBackward(
  layer: Address,
  gradOutput: Numbers<Float32Array>,
  targets: Targets,
): Gradients {
  const { record, given, placed } = giveTensors(backwardRecord.words, [['gradOutput', gradOutput]]);
  writeRecord(record, backwardRecord, { gradOutput: given[0] });
  const results = new CallResults(targets, placed);
  commit(() => {
    core().backward(layer, record);
  }, results);
  return Object.fromEntries(
    gradientNames.map((name, i) => [name, results.tensor(firstGradient + i)]),
  ) as unknown as Gradients;
}
