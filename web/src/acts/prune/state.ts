import {
  choiceField,
  numberField,
  seedRange,
  type StateOf,
  switchField,
  writtenField,
} from '../../address/field.js';
import { type Normalized, Store } from '../../address/store.js';
import { words as addressWords } from '../../address/words.js';
import { listOf } from '../../format/sentences.js';
import { allHeads, hasHead, type Head, nameOfHead, numPlanted } from '../../worker/heads.js';
import { orderNames } from '../../worker/study.js';

/** Whether a head may be marked beside these. */
export const canMark = (head: Head, marks: readonly Head[]): boolean =>
  marks.length < numPlanted && !hasHead(marks, head);

const fields = {
  seed: numberField('prune-seed', seedRange, 1),
  /** The heads that the reader thinks were planted, `1.3,2.4`, as many as may be marked. */
  marks: writtenField<readonly Head[]>(
    'prune-marks',
    [],
    (written) =>
      written.split(',').reduce<readonly Head[]>((marks, given) => {
        const found = allHeads.find((head) => nameOfHead(head) === given);
        return found !== undefined && canMark(found, marks) ? [...marks, found] : marks;
      }, []),
    (heads) => heads.map(nameOfHead).join(),
    (heads) => listOf(heads.map(nameOfHead)),
  ),
  /** Whether what was planted is shown. */
  isChecked: switchField('prune-check'),
  /** The order in which the language model is pruned. */
  order: choiceField('prune-order', ['best', ...orderNames], 'best'),
  /** How many heads of the language model are pruned; more than it allows count as the most it allows. */
  cut: numberField('prune-cut', { min: 0, max: 999, step: 1 }, 0),
};

/** What the controls of the act hold. */
export type PruneState = StateOf<typeof fields>;

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
