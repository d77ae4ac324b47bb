import { descending, least, sort } from 'd3-array';
import { type HeadMeasure, measureHeadImportance, Tensor } from 'headwise/models';

import type { Sequence } from './answers.js';
import { allHeads, canGo, type Head, numPlanted, type Role } from './heads.js';
import { numSteps, type PlantedModel, type Quality } from './planted-model.js';

export const measures = [
  'ablation',
  'gradient',
  'confidence',
  'entropy',
] as const satisfies readonly HeadMeasure[];

/** Orders in which heads go: the least important first by a measure, or drawn by lot. */
export const orderNames = [...measures, 'random'] as const;
export type OrderName = (typeof orderNames)[number];

export const numRandomOrders = 3;

/** What became of a model as its heads went: of all heads first, of one a layer last. */
export interface Curve {
  readonly order: OrderName;
  readonly points: readonly (Quality & { readonly kept: number })[];
}

/** What one seed has to say. */
export interface Study {
  readonly seed: number;
  /** What was planted where, in the order of `allHeads`. */
  readonly roles: readonly Role[];
  /** A test sequence, and what the heads of the whole model attend to on it: of each layer, (heads, length, length). */
  readonly shown: Sequence;
  readonly weights: readonly Float32Array[];
  /** By measure, a number a head in the order of `allHeads`. */
  readonly importance: Readonly<Record<HeadMeasure, readonly number[]>>;
  readonly curves: readonly Curve[];
}

/** Numbers by which a measure ranks heads, the most important highest: little entropy counts for much. */
export function rankOf(measure: HeadMeasure, importance: readonly number[]): number[] {
  return importance.map((number) => (measure === 'entropy' ? -number : number));
}

/** As many heads as were planted: those that a measure ranks highest, the first of them first. */
export function chosenBy(measure: HeadMeasure, { importance }: Study): Head[] {
  const rank = rankOf(measure, importance[measure]);
  return sort(allHeads.keys(), (a, b) => descending(rank[a], rank[b]))
    .slice(0, numPlanted)
    .map((place) => allHeads[place]);
}

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
  const shown = planted.bestSequence();
  return {
    seed,
    roles: planted.roles.flat(),
    shown,
    weights: planted.weightsOn(shown),
    importance: found,
    curves,
  };
}

function shutInOrder(planted: PlantedModel, rank: readonly number[]): Curve['points'] {
  const pruned: Head[] = [];
  const pointNow = (): Curve['points'][number] => ({
    kept: allHeads.length - pruned.length,
    ...planted.without(pruned),
  });
  const points = [pointNow()];
  for (;;) {
    const removable = allHeads.filter((head) => canGo(head, allHeads, pruned));
    const next = least(removable, (head) => rank[allHeads.indexOf(head)] ?? NaN);
    if (next === undefined) return points;
    pruned.push(next);
    points.push(pointNow());
  }
}
