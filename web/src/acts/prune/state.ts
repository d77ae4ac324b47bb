import {
  choiceField,
  type Field,
  type Fields,
  numberField,
  seedRange,
} from '../../address/field.js';
import { words as addressWords } from '../../address/words.js';
import { listOf } from '../../format/sentences.js';
import { allHeads, canGo, type Head, nameOfHead } from '../../worker/heads.js';

/** What the controls of the act hold. */
export interface PruneState {
  readonly seed: number;
  readonly metric: Metric;
  /** Heads that were pruned, in their order. */
  readonly pruned: readonly Head[];
}

export const metrics = ['accuracy', 'loss'] as const;
export type Metric = (typeof metrics)[number];

const prunedName = 'prune-gone';

const write = (heads: readonly Head[]): string => heads.map(nameOfHead).join();

/** Heads by layer and place, `1.3,2.4`, as far as they can go one after the other. */
const prunedField: Field<readonly Head[]> = {
  name: prunedName,
  initial: [],
  read(written) {
    const value: Head[] = [];
    for (const name of written.split(',')) {
      const found = allHeads.find((head) => nameOfHead(head) === name);
      if (found !== undefined && canGo(found, allHeads, value)) {
        value.push({ layer: found.layer, head: found.head });
      }
    }
    if (write(value) === written) return { value };
    return {
      value,
      correction: addressWords.list(prunedName, written, listOf(value.map(nameOfHead))),
    };
  },
  write,
};

export const pruneFields: Fields<PruneState> = {
  seed: numberField('prune-seed', seedRange, 1),
  metric: choiceField('prune-metric', metrics, 'accuracy'),
  pruned: prunedField,
};
