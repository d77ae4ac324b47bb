import type { HeadMeasure } from 'headwise';

import type { Quality } from './planted-model.js';

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
  /** By measure, a number a head in the order of `allHeads`. */
  readonly importance: Readonly<Record<HeadMeasure, readonly number[]>>;
  readonly curves: readonly Curve[];
}

/** Numbers by which a measure ranks heads, the most important highest: little entropy counts for much. */
export function rankOf(measure: HeadMeasure, importance: readonly number[]): number[] {
  return importance.map((number) => (measure === 'entropy' ? -number : number));
}
