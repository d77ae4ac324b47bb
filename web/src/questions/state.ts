import { choiceField } from '../address/field.js';
import { Store } from '../address/store.js';

/** The questions of the chapter's readers, by the act that answers them. */
const questionsByAct = {
  look: ['giant-head', 'untrained-gate'],
  inside: [
    'h-projections',
    'input-slice',
    'two-transposes',
    'why-sqrt-d',
    'output-projection',
    'weight-importance',
  ],
  'equal-keys': ['why-heads-differ', 'masked-queries'],
  train: ['ensemble', 'more-heads'],
  translate: ['same-input', 'query-size'],
  prune: ['softmax-over-outputs'],
} as const;

export type QuestionName = (typeof questionsByAct)[keyof typeof questionsByAct][number];

const lists: Readonly<Record<string, readonly QuestionName[]>> = questionsByAct;

/** The questions under an act. */
export const questionsOf = (act: string): readonly QuestionName[] => lists[act] ?? [];

/** One for the whole page: one answer is open at a time. */
export const questions = new Store({
  /** The one whose answer is open. */
  question: choiceField('question', [...Object.values(lists).flat(), 'none' as const], 'none'),
});

/** The act under which a question stands; the first one that has any for `none`. */
export const actOfQuestion = (question: QuestionName | 'none'): string =>
  Object.keys(lists).find((act) => lists[act].some((name) => name === question)) ?? 'look';
