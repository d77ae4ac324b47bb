import type { RunOptions } from '../../worker/training.js';
import type { RunRecord } from './run-record.js';

/** What a run has come to. */
export interface RunSummary {
  readonly options: RunOptions;
  readonly step: number;
  /** On unseen sequences, when last measured. */
  readonly accuracy: number;
  readonly goalStep: number | undefined;
}

/** A run as it was when it was pinned: the run itself may go on. */
export interface PinnedRun {
  readonly summary: RunSummary;
  /** Its loss on unseen sequences. */
  readonly points: readonly { readonly step: number; readonly loss: number }[];
}

export const pinnedOf = (record: RunRecord): PinnedRun => ({
  summary: summaryOf(record),
  points: record.measurements.map(({ step, loss }) => ({ step, loss })),
});

export const summaryOf = ({ options, step, goalStep, latest }: RunRecord): RunSummary => ({
  options,
  step,
  accuracy: latest?.accuracy ?? 0,
  goalStep,
});

/** From this step on a run can be called slow: several times what the slowest that learn their task take. */
const late = 1000;

/** Whether it is plain how a run goes: it has reached the goal, or is far beyond the step at which others do. */
export const isPlain = ({ goalStep, step }: Pick<RunSummary, 'goalStep' | 'step'>): boolean =>
  goalStep !== undefined || step >= late;

/** Whether a single layer can do the work of several: two runs that differ in nothing else, and the deeper one reached the goal. */
export function comparisonOf(
  a: RunSummary,
  b: RunSummary,
): { readonly one: RunSummary; readonly more: RunSummary } | undefined {
  const [one, more] = a.options.layers < b.options.layers ? [a, b] : [b, a];
  const isAlike =
    JSON.stringify({ ...one.options, layers: more.options.layers }) ===
    JSON.stringify(more.options);
  const isTold = one.options.layers === 1 && more.options.layers > 1 && isPlain(one);
  return isAlike && isTold && more.goalStep !== undefined ? { one, more } : undefined;
}
