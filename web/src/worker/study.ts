import { descending, sort } from 'd3-array';
import { type HeadMeasure, measureHeadImportance, Tensor } from 'headwise/models';

import type { Sequence } from './training.js';
import { allHeads, hasHead, type Head, numPlanted, pruningOrder, type Role } from './heads.js';
import { numSteps, type PlantedModel } from './planted-model.js';

export const measures = [
  'ablation',
  'gradient',
  'confidence',
  'entropy',
] as const satisfies readonly HeadMeasure[];

/** Orders in which heads are pruned: the least important first by a measure, or at random. */
export const orderNames = [...measures, 'random'] as const;
export type OrderName = (typeof orderNames)[number];

export const numRandomOrders = 3;

/** Accuracy with all heads, without the first of the order, without the first two, and so on. */
export interface Curve {
  readonly order: OrderName;
  readonly accuracy: readonly number[];
}

/** What the page shows of the first model of a planting. */
export interface Shown extends Sequence {
  /** What its heads attend to on the sequence: of each layer, (heads, length, length). */
  readonly weights: readonly Float32Array[];
  /** Accuracy on the test sequences without each of `choices`. */
  readonly accuracyWithout: readonly number[];
}

/** The results of one seed. */
export interface Study {
  readonly seed: number;
  /** Of each head, in the order of `allHeads`. */
  readonly roles: readonly Role[];
  /** By measure, a number for each head in the order of `allHeads`. */
  readonly importance: Readonly<Record<HeadMeasure, readonly number[]>>;
  readonly curves: readonly Curve[];
  readonly shown?: Shown;
}

/** All sets of as many heads as were planted, as places in `allHeads`. */
const choices = setsOf(numPlanted, 0);

function setsOf(size: number, first: number): number[][] {
  if (size === 0) return [[]];
  return [...allHeads.keys()]
    .slice(first)
    .flatMap((place) => setsOf(size - 1, place + 1).map((others) => [place, ...others]));
}

/** Accuracy of a shown model without as many heads as were planted. */
export function accuracyWithout({ accuracyWithout }: Shown, heads: readonly Head[]): number {
  const places = allHeads.flatMap((head, i) => (hasHead(heads, head) ? i : []));
  return accuracyWithout[choices.findIndex((choice) => choice.join() === places.join())] ?? NaN;
}

/** Numbers by which a measure ranks heads, the most important highest: low entropy ranks high. */
export function rankOf(measure: OrderName, importance: readonly number[]): number[] {
  return importance.map((number) => (measure === 'entropy' ? -number : number));
}

/** As many heads as were planted: those that a measure ranks highest, the first of them first. */
export function chosenBy(measure: HeadMeasure, { importance }: Study): Head[] {
  const rank = rankOf(measure, importance[measure]);
  return sort(allHeads.keys(), (a, b) => descending(rank[a], rank[b]))
    .slice(0, numPlanted)
    .map((place) => allHeads[place]);
}

const choicesAtOnce = 45;
const numMeasured = measures.length + measures.length + numRandomOrders;

/** Steps of a study: training, measures, curves, and for a shown model choices. */
export const studySize = (isShown: boolean): number =>
  numSteps + numMeasured + (isShown ? choices.length / choicesAtOnce : 0);

/**
 * Trains a planted model, ranks its heads by every measure, and shuts them in that order. It yields after every step,
 * so that the caller can stop or do something else.
 */
export async function* study(
  planted: PlantedModel,
  seed: number,
  isShown: boolean,
): AsyncGenerator<void, Study> {
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
    curves.push(curveOf(planted, measure, rankOf(measure, found[measure])));
    yield;
  }
  for (let number = 0; number < numRandomOrders; number += 1) {
    const rank = [...Tensor.randn([allHeads.length], numRandomOrders * seed + number).data];
    curves.push(curveOf(planted, 'random', rank));
    yield;
  }
  const result = { seed, roles: planted.roles.flat(), importance: found, curves };
  if (!isShown) return result;
  const accuracies: number[] = [];
  for (const [number, choice] of choices.entries()) {
    accuracies.push(planted.accuracyWithout(choice.map((place) => allHeads[place])));
    if (number % choicesAtOnce === 0) yield;
  }
  const sequence = planted.bestSequence();
  const weights = planted.weightsOn(sequence);
  return { ...result, shown: { ...sequence, weights, accuracyWithout: accuracies } };
}

function curveOf(planted: PlantedModel, order: OrderName, rank: readonly number[]): Curve {
  const heads = pruningOrder(allHeads, rank);
  return {
    order,
    accuracy: [...heads, undefined].map((_, i) => planted.accuracyWithout(heads.slice(0, i))),
  };
}
