import { maxIndex, range } from 'd3-array';

import type { AlignmentMeasurement } from '../../worker/alignment.js';
import { type Part, parts } from '../../worker/dates.js';
import type { AlignRecord } from './run.js';

/** From here on a run has learnt its task. */
const enoughRight = 0.95;
/** From here on a head is said to read a part; one with uniform weights has at most a third. */
const enoughAligned = 0.5;

/** Which head aligns best with a part of the date. */
export interface BestHead {
  readonly part: Part;
  /** From 0. */
  readonly head: number;
  readonly share: number;
  readonly isAligned: boolean;
}

export const alignmentAt = (
  { alignment }: AlignmentMeasurement,
  head: number,
  part: number,
): number => alignment[head * parts.length + part] ?? NaN;

/** The share of a head's weight that is where it should be, of all parts alike. */
export const meanAlignment = (measurement: AlignmentMeasurement, head: number): number =>
  parts.reduce((sum, _part, i) => sum + alignmentAt(measurement, head, i), 0) / parts.length;

export function bestHeads(measurement: AlignmentMeasurement, heads: number): readonly BestHead[] {
  return parts.map((part, i) => {
    const shares = range(heads).map((head) => alignmentAt(measurement, head, i));
    const head = maxIndex(shares);
    const share = shares[head] ?? NaN;
    return { part, head, share, isAligned: share >= enoughAligned };
  });
}

export interface Finding {
  readonly step: number;
  readonly accuracy: number;
  readonly hasLearnt: boolean;
  readonly best: readonly BestHead[];
}

/** The first measured step at which a run had learnt its task, if it has. */
export const learntAt = ({ measurements }: AlignRecord): number | undefined =>
  measurements.find(({ accuracy }) => accuracy >= enoughRight)?.step;

/** What a run has come to; `undefined` before it has learnt its task or ended. */
export function findingOf(record: AlignRecord, hasEnded: boolean): Finding | undefined {
  const latest = record.measurements.at(-1);
  if (latest === undefined) return undefined;
  const { step, accuracy } = latest;
  const hasLearnt = accuracy >= enoughRight;
  if (!hasLearnt && !hasEnded) return undefined;
  return { step, accuracy, hasLearnt, best: bestHeads(latest, record.options.heads) };
}
