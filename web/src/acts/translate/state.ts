import {
  choiceField,
  numberField,
  seedRange,
  type StateOf,
  writtenField,
} from '../../address/field.js';
import { type Normalized, Store } from '../../address/store.js';
import { words as addressWords } from '../../address/words.js';
import {
  type AlignmentOptions,
  alignmentVariants,
  lastAlignmentStep,
} from '../../worker/alignment.js';
import { isoLength, maxDateLength, readable } from '../../worker/dates.js';

export const examples = ['March 5, 2021', '14 Jul 1789', 'September 30, 1066'] as const;

const fields = {
  variant: choiceField('translate-model', alignmentVariants, 'standard'),
  heads: choiceField<number>('translate-heads', [1, 2, 4], 2),
  seed: numberField('translate-seed', seedRange, 1),
  /** The date that the model is shown reading. */
  text: writtenField(
    'translate-text',
    examples[0] as string,
    (written) => readable(written.slice(0, 4 * maxDateLength)).trim() || undefined,
    String,
  ),
  /** The head that is shown alone, from 1; 0 for all. */
  head: numberField('translate-head', { min: 0, max: 4, step: 1 }, 0),
  /** The character of the answer that is looked at, from 1; 0 for all. */
  query: numberField('translate-query', { min: 0, max: isoLength, step: 1 }, 0),
  /** The step up to which a run is trained when it is opened. */
  at: numberField('translate-at', { min: 0, max: lastAlignmentStep, step: 1 }, 0),
};

/** What the controls of the act hold. */
export type TranslateState = StateOf<typeof fields>;

/** A head that there is not is none. */
function normalize(state: TranslateState): Normalized<TranslateState> {
  const { head, heads } = state;
  if (head <= heads) return { state, corrections: [] };
  const correction = addressWords.number(fields.head.name, String(head), 0, heads, 0);
  return { state: { ...state, head: 0 }, corrections: [correction] };
}

export const createTranslateStore = (): Store<TranslateState> => new Store(fields, normalize);

/** What of the state makes the run; the rest is how it is shown. */
export const runOptionsOf = ({ variant, heads, seed }: TranslateState): AlignmentOptions => ({
  variant,
  heads,
  seed,
});
