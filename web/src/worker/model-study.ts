import { mean, range } from 'd3-array';
import { type HeadMeasure, Tensor } from 'headwise/models';

import { gatesWithout, type Head, headsOf, pruningOrder } from './heads.js';
import type { Gates } from './language-model.js';
import { type OrderName, rankOf } from './study.js';

/** Points of a curve, at most: each takes a pass over the text. */
const maxPoints = 13;

/** A loss that counts as no worse: times that of the whole model. */
export const tolerance = 1.05;

export interface ModelCurve {
  readonly order: OrderName;
  /** In the order in which they are pruned. */
  readonly heads: readonly Head[];
  /** Losses on held-out text, in nats per token: without the first `i · step` heads. The first is of the whole model. */
  readonly losses: readonly number[];
}

/** What pruning costs a language model. */
export interface ModelStudy {
  readonly numHeads: readonly number[];
  /** Heads from one point of a curve to the next. */
  readonly step: number;
  readonly curves: readonly ModelCurve[];
}

/** A model whose heads are ranked and shut. */
export interface Subject {
  readonly numHeads: readonly number[];
  readonly measure: (
    measure: HeadMeasure,
    onProgress: (done: number, total: number) => void,
  ) => Promise<readonly (readonly number[])[]>;
  readonly loss: (gates: Gates) => Promise<number>;
}

/** Cheap ones first: ablation takes a pass for each head. */
const orders = ['gradient', 'confidence', 'entropy', 'random', 'ablation'] as const;

/**
 * Ranks the heads by each measure, and measures the loss as they are pruned in that order.
 *
 * @param onProgress the share of the work that is done, and the study as far as it has come
 */
export async function studyModel(
  { numHeads, measure, loss }: Subject,
  onProgress: (share: number, study: ModelStudy) => void,
): Promise<ModelStudy> {
  const heads = headsOf(numHeads);
  const step = Math.ceil(heads.length / (maxPoints - 1));
  const counts = range(0, heads.length - numHeads.length + 1, step);
  const curves: ModelCurve[] = [];
  const study = { numHeads, step, curves };
  // In passes over half of the text; a backward pass takes as long as two forward passes.
  const passesOf = (order: OrderName): number =>
    order === 'random' ? 0 : order === 'ablation' ? heads.length : order === 'gradient' ? 3 : 1;
  const total = orders.reduce((sum, order) => sum + passesOf(order) + counts.length - 1, 1);
  let done = 1;
  const whole = await loss(gatesWithout(numHeads, []));
  for (const order of orders) {
    const before = done;
    const importance =
      order === 'random'
        ? [...Tensor.randn([heads.length], 1).data]
        : (
            await measure(order, (part, all) => {
              onProgress((before + (passesOf(order) * part) / all) / total, study);
            })
          ).flat();
    done += passesOf(order);
    const sequence = pruningOrder(heads, rankOf(order, importance));
    const losses = [whole];
    for (const count of counts.slice(1)) {
      onProgress(done / total, study);
      losses.push(await loss(gatesWithout(numHeads, sequence.slice(0, count))));
      done += 1;
    }
    curves.push({ order, heads: sequence, losses });
    onProgress(done / total, study);
  }
  return study;
}

/** The last point of a curve that is within the tolerance. */
const lastWithin = ({ losses }: ModelCurve): number =>
  losses.reduce((last, loss, point) => (loss <= tolerance * losses[0] ? point : last), 0);

/** The curves, the best first: most heads pruned within the tolerance, then the lowest loss up to there. */
export function bestFirst({ curves }: ModelStudy): ModelCurve[] {
  const last = Math.max(...curves.map(lastWithin));
  const meanLoss = ({ losses }: ModelCurve): number => mean(losses.slice(0, last + 1)) ?? NaN;
  return [...curves].sort((a, b) => lastWithin(b) - lastWithin(a) || meanLoss(a) - meanLoss(b));
}

/** The largest number of heads that can be pruned by any order within the tolerance. */
export const mostPrunable = ({ curves, step }: ModelStudy): number =>
  step * Math.max(0, ...curves.map(lastWithin));
