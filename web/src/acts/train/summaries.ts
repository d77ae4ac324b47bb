import type { Head } from '../../worker/heads.js';
import type { RunOptions, ScoreName } from '../../worker/training.js';
import type { RunRecord } from './run-record.js';

/** What a run has come to. */
export interface RunSummary {
  readonly options: RunOptions;
  readonly step: number;
  /** On unseen sequences, when last measured. */
  readonly accuracy: number;
  readonly goalStep: number | undefined;
  readonly roles: readonly { readonly place: Head; readonly score: ScoreName }[];
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

export function summaryOf(record: RunRecord): RunSummary {
  const { options, step, goalStep, places, roles, latest } = record;
  return {
    options,
    step,
    accuracy: latest?.accuracy ?? 0,
    goalStep,
    roles: places.flatMap((place, i) => {
      const score = roles[i];
      return score === undefined ? [] : [{ place, score }];
    }),
  };
}

/** From this step on a run can be called slow: several times what the slowest that learn their task take. */
const late = 1000;

/** Whether it is plain how a run goes: it has reached the goal, or is far beyond the step at which others do. */
export const isPlain = ({ goalStep, step }: RunRecord, hasEnded: boolean): boolean =>
  goalStep !== undefined || hasEnded || step >= late;

/** The runs that were made in this page, by what made them: what a run is compared with. */
export class Summaries {
  readonly #all = new Map<string, RunSummary>();

  /** Keeps a run; one that goes on replaces what was kept of it. */
  keep(record: RunRecord): void {
    const name = JSON.stringify(record.options);
    const kept = this.#all.get(name);
    if (kept === undefined || record.step >= kept.step) this.#all.set(name, summaryOf(record));
  }

  /** The run with so many layers and all else the same. */
  withLayers(options: RunOptions, layers: number): RunSummary | undefined {
    return this.#all.get(JSON.stringify({ ...options, layers }));
  }
}
