import { maxIndex, sum } from 'd3-array';
import type {
  AttentionOnlyTransformer,
  HeadGatesOptions,
  TaskBatch,
  Tensor,
  Tokens,
} from 'headwise/models';

/** Tokens, and the target of each position; −1 where there is none. */
export interface Sequence {
  readonly tokens: Int32Array;
  readonly targets: Int32Array;
}

/** The token that a model predicts, and its probability. */
export interface Answer {
  readonly token: number;
  readonly probability: number;
}

/** The prediction of a model at each position; `undefined` where there is no target. */
export type Answers = readonly (Answer | undefined)[];

export function answersOf(
  model: AttentionOnlyTransformer,
  { tokens, targets }: Sequence,
  options?: HeadGatesOptions,
): Answers {
  const { data, shape } = model.forward({ data: tokens, shape: [tokens.length] }, options).logits;
  const size = shape.at(-1) ?? 0;
  return Array.from(targets, (target, position) => {
    if (target < 0) return undefined;
    const logits = data.subarray(position * size, (position + 1) * size);
    const token = maxIndex(logits);
    const largest = logits[token] ?? NaN;
    return { token, probability: 1 / sum(logits, (logit) => Math.exp(logit - largest)) };
  });
}

export const numRight = ({ targets }: Sequence, answers: Answers): number =>
  answers.filter((answer, position) => answer?.token === targets[position]).length;

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
