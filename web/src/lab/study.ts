import { least } from 'd3-array';
import { measureHeadImportance, Tensor, type HeadMeasure } from 'headwise';

import { canGo, type Head } from './heads.js';
import { numSteps, type PlantedModel } from './planted-model.js';
import { allHeads, plantedRoles } from './roles.js';
import { measures, numRandomOrders, rankOf, type Curve, type Study } from './studied.js';

/** Steps of work in one study: of training, of measures, of curves. */
export const studySize = numSteps + measures.length + measures.length + numRandomOrders;

/**
 * Trains a planted model, has every measure rank its heads, and shuts them in that order; stops
 * after every step of work, so that whoever asks may look elsewhere or give up.
 */
export async function* study(planted: PlantedModel, seed: number): AsyncGenerator<void, Study> {
  for (let step = 0; step < numSteps; step += 1) {
    planted.step();
    yield;
  }
  const importance: Partial<Record<HeadMeasure, readonly number[]>> = {};
  for (const measure of measures) {
    const { tokens, targets } = planted.measuringBatch;
    const batches = [{ tokens, targets }];
    importance[measure] = (await measureHeadImportance(planted.model, { measure, batches })).flat();
    yield;
  }
  const found = importance as Study['importance'];
  const curves: Curve[] = [];
  for (const measure of measures) {
    curves.push({ order: measure, points: shutInOrder(planted, rankOf(measure, found[measure])) });
    yield;
  }
  for (let number = 0; number < numRandomOrders; number += 1) {
    const rank = [...Tensor.randn([allHeads.length], numRandomOrders * seed + number).data];
    curves.push({ order: 'random', points: shutInOrder(planted, rank) });
    yield;
  }
  return { seed, importance: found, curves };
}

// A gate of 0 does to the loss what removing the head does, and takes no copy of the model.
function shutInOrder(planted: PlantedModel, rank: readonly number[]): Curve['points'] {
  const gates = plantedRoles.map(({ length }) => new Float32Array(length).fill(1));
  const gone: Head[] = [];
  const pointNow = (): Curve['points'][number] => ({
    kept: allHeads.length - gone.length,
    ...planted.quality(gates),
  });
  const points = [pointNow()];
  for (;;) {
    const removable = allHeads.filter((head) => canGo(head, allHeads, gone));
    const next = least(removable, (head) => rank[allHeads.indexOf(head)] ?? NaN);
    if (next === undefined) return points;
    gates[next.layer]?.fill(0, next.head, next.head + 1);
    gone.push(next);
    points.push(pointNow());
  }
}
