import { range } from 'd3-array';

import { formatPercent } from '../../format/numbers.js';
import { joinSentences, listOf } from '../../format/sentences.js';
import type { AlignmentMeasurement } from '../../worker/alignment.js';
import { type Part, parts } from '../../worker/dates.js';
import { clearLead } from '../../worker/heads.js';
import type { AlignRecord } from './run.js';
import { words } from './words.js';

/** From here on a run has learnt its task. */
const enoughRight = 0.95;
/** From here on a head is said to read a part; one with uniform weights has at most a third. */
const enoughAligned = 0.5;

/** A head, counted from 0, and the share of its weight that is on a part of the date. */
export interface HeadShare {
  readonly head: number;
  readonly share: number;
}

/** The heads that read a part of the date. */
export interface PartReading {
  readonly part: Part;
  readonly best: HeadShare;
  /** All that read it, the best first. */
  readonly readers: readonly HeadShare[];
  /** Whether the best reads it and leads every other, or uniform weights if it is the only head. */
  readonly isSpecialist: boolean;
}

export const alignmentAt = (
  { alignment }: AlignmentMeasurement,
  head: number,
  part: number,
): number => alignment[head * parts.length + part] ?? NaN;

/** The share of a head's weight that is where it should be, of all parts alike. */
export const meanAlignment = (measurement: AlignmentMeasurement, head: number): number =>
  parts.reduce((sum, _part, i) => sum + alignmentAt(measurement, head, i), 0) / parts.length;

export function readingOf(
  measurement: AlignmentMeasurement,
  heads: number,
): readonly PartReading[] {
  return parts.map((part, i) => {
    const ranked = range(heads)
      .map((head) => ({ head, share: alignmentAt(measurement, head, i) }))
      .sort((a, b) => b.share - a.share);
    const [best, next] = ranked;
    const readers = ranked.filter(({ share }) => share >= enoughAligned);
    const lead = best.share - (heads > 1 ? next.share : measurement.uniform[i]);
    return { part, best, readers, isSpecialist: readers.length > 0 && lead >= clearLead };
  });
}

export interface Finding {
  readonly step: number;
  readonly accuracy: number;
  readonly hasLearnt: boolean;
  readonly reading: readonly PartReading[];
}

/** The first measured step at which a run had learnt its task, if it has. */
export const learntAt = ({ measurements }: AlignRecord): number | undefined =>
  measurements.find(({ accuracy }) => accuracy >= enoughRight)?.step;

/** What a run has come to; `undefined` before it has learnt its task or ended. */
export function findingOf(record: AlignRecord, hasEnded: boolean): Finding | undefined {
  const latest = record.measurements.at(-1);
  if (latest === undefined) return undefined;
  const { step, accuracy } = latest;
  // Accuracy may waver after that.
  const hasLearnt = learntAt(record) !== undefined;
  if (!hasLearnt && !hasEnded) return undefined;
  return { step, accuracy, hasLearnt, reading: readingOf(latest, record.options.heads) };
}

/** The finding in words; empty while there is none. */
export function verdictOf(record: AlignRecord, hasEnded: boolean): string {
  const finding = findingOf(record, hasEnded);
  if (finding === undefined) return '';
  const { step, accuracy, hasLearnt, reading } = finding;
  const { verdict, parts } = words;
  const isElsewhere = hasLearnt && reading.every(({ readers }) => readers.length === 0);
  return joinSentences([
    (hasLearnt ? verdict.learnt : verdict.notLearnt)(formatPercent(accuracy), step),
    ...reading.map(({ part, best, readers, isSpecialist }) => {
      const share = formatPercent(best.share);
      if (isSpecialist) return verdict.specialist(parts[part], best.head + 1, share);
      if (readers.length < 2) return verdict.none(parts[part], best.head + 1, share);
      const heads = readers.map((reader) =>
        verdict.share(reader.head + 1, formatPercent(reader.share)),
      );
      return verdict.shared(parts[part], listOf(heads));
    }),
    ...(isElsewhere ? [verdict.elsewhere] : []),
  ]);
}
