import type { Tensor, Tokens } from 'headwise';

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
