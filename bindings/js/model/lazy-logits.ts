import { floatsAt, reserve } from '../runtime/memory.js';
import { core } from '../runtime/wasm.js';
import { Tensor } from '../tensor/tensor.js';
import type { PassModel } from './model-inputs.js';

/**
 * The logits (…, positions, vocabulary) of several runs, computed when they are read: `at` computes its position,
 * everything else all of them. What is read of one run is computed for all runs, because weights are read once.
 *
 * @param inUse gives the model, or throws if it was disposed of
 * @param hidden hidden states of each run, (runs, …, positions, numHiddens)
 */
export function lazyLogits(inUse: () => PassModel, { data: hidden, shape }: Tensor): Tensor[] {
  const { vocabularySize, numHiddens } = inUse().settings;
  const numPositions = shape[shape.length - 2];
  const rowsOfRun = hidden.length / numHiddens / shape[0];
  const ofRun = [...shape.slice(1, -1), vocabularySize];
  const runs = Array.from({ length: shape[0] }, () => Tensor.zeros(ofRun));
  const done = new Set<number | undefined>();

  /** Computes one position; undefined is all. */
  const compute = (position?: number): void => {
    if (done.has(position) || done.has(undefined)) {
      return;
    }
    const { model } = inUse();
    const rows = [...Array(rowsOfRun * runs.length).keys()].filter(
      (row) => position === undefined || row % numPositions === position,
    );
    const [from, to] = reserve(rows.length * numHiddens, rows.length * vocabularySize);
    const part = (data: Float32Array, row: number, size: number): Float32Array =>
      data.subarray(row * size, (row + 1) * size);
    const features = floatsAt(from, rows.length * numHiddens);
    rows.forEach((row, i) => {
      part(features, i, numHiddens).set(part(hidden, row, numHiddens));
    });
    core().unembed(model, from, rows.length, to);
    const logits = floatsAt(to, rows.length * vocabularySize);
    rows.forEach((row, i) => {
      const { data } = runs[Math.floor(row / rowsOfRun)];
      part(data, row % rowsOfRun, vocabularySize).set(part(logits, i, vocabularySize));
    });
    done.add(position);
  };

  return runs.map((run) =>
    Object.defineProperties(new Tensor(run.data, ofRun), {
      data: {
        get: () => {
          compute();
          return run.data;
        },
        enumerable: true,
      },
      at: {
        value: (...index: number[]) => {
          compute(index.at(-2) ?? NaN);
          return run.at(...index);
        },
      },
    }),
  );
}
