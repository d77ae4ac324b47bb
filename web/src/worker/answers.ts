import type { TaskBatch, Tensor, Tokens } from 'headwise/models';

/** Tokens, and the target of each position; −1 where there is none. */
export interface Sequence {
  readonly tokens: Int32Array;
  readonly targets: Int32Array;
}

/** The sequences of a batch one by one. */
export function sequencesOf({ tokens, targets }: TaskBatch): Sequence[] {
  const [count = 0, length = 0] = tokens.shape;
  return Array.from({ length: count }, (_, number) => {
    const [first, end] = [number * length, (number + 1) * length];
    return { tokens: tokens.data.slice(first, end), targets: targets.data.slice(first, end) };
  });
}

/** Share of the targets, −1 aside, that have the largest logit. */
export function accuracyOf({ data, shape }: Tensor, targets: Tokens): number {
  const size = shape.at(-1) ?? 0;
  let asked = 0;
  let right = 0;
  for (const [row, target] of targets.data.entries()) {
    if (target < 0) continue;
    const logits = data.subarray(row * size, (row + 1) * size);
    const logit = logits[target] ?? NaN;
    asked += 1;
    if (logits.every((other) => other <= logit)) right += 1;
  }
  return right / asked;
}
