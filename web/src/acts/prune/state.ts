import {
  choiceField,
  type Field,
  type Fields,
  numberField,
  seedRange,
  switchField,
} from '../../address/field.js';
import { type Normalized, Store } from '../../address/store.js';
import { words as addressWords } from '../../address/words.js';
import { listOf } from '../../format/sentences.js';
import {
  allHeads,
  canGo,
  type Head,
  nameOfHead,
  numPlanted,
  sameHead,
} from '../../worker/heads.js';
import type { SessionState } from '../../worker/pruning-session.js';

/** What the controls of the act hold. */
export interface PruneState {
  readonly seed: number;
  /** The heads that the reader thinks were planted. */
  readonly marks: readonly Head[];
  /** Whether what was planted is shown. */
  readonly isChecked: boolean;
  readonly metric: Metric;
  /** Heads that were pruned, in their order. */
  readonly pruned: readonly Head[];
}

export const metrics = ['accuracy', 'loss'] as const;
export type Metric = (typeof metrics)[number];

const write = (heads: readonly Head[]): string => heads.map(nameOfHead).join();

/** Heads by layer and place, `1.3,2.4`, each as far as it can follow those before it. */
function headsField(
  name: string,
  canFollow: (head: Head, before: readonly Head[]) => boolean,
): Field<readonly Head[]> {
  return {
    name,
    initial: [],
    read(written) {
      const value: Head[] = [];
      for (const given of written.split(',')) {
        const found = allHeads.find((head) => nameOfHead(head) === given);
        if (found !== undefined && canFollow(found, value)) value.push(found);
      }
      if (write(value) === written) return { value };
      return { value, correction: addressWords.list(name, written, listOf(value.map(nameOfHead))) };
    },
    write,
  };
}

/** Whether a head may be marked beside these. */
export const canMark = (head: Head, marks: readonly Head[]): boolean =>
  marks.length < numPlanted && !marks.some((other) => sameHead(head, other));

export const headsLeft = ({ pruned }: SessionState): number => allHeads.length - pruned.length;

/** Whether as few heads are left as do the work, and at least 95 % of the answers are right. */
export const isReached = (state: SessionState): boolean =>
  headsLeft(state) <= numPlanted && state.left.accuracy >= 0.95;

const fields: Fields<PruneState> = {
  seed: numberField('prune-seed', seedRange, 1),
  marks: headsField('prune-marks', canMark),
  isChecked: switchField('prune-check'),
  metric: choiceField('prune-metric', metrics, 'accuracy'),
  pruned: headsField('prune-gone', (head, pruned) => canGo(head, allHeads, pruned)),
};

/** What was planted is shown to a reader who has marked as many heads, or wants to mark none. */
function normalize(given: PruneState): Normalized<PruneState> {
  const { marks, isChecked } = given;
  if (!isChecked || marks.length === 0 || marks.length === numPlanted) {
    return { state: given, corrections: [] };
  }
  const { name } = fields.isChecked;
  return {
    state: { ...given, isChecked: false },
    corrections: [addressWords.needs(`${name}=1`, fields.marks.name, numPlanted)],
  };
}

export const createPruneStore = (): Store<PruneState> => new Store(fields, normalize);
