import { choiceField, type Fields } from '../../address/field.js';

/** By what they are about, in the order in which the chapter comes to them. */
export const questionGroups = {
  projections: [
    'h-projections',
    'input-slice',
    'giant-head',
    'two-transposes',
    'output-projection',
  ],
  scores: ['same-input', 'query-size', 'why-sqrt-d', 'masked-queries'],
  heads: [
    'why-heads-differ',
    'ensemble',
    'weight-importance',
    'untrained-gate',
    'softmax-over-outputs',
    'more-heads',
  ],
} as const;

export type GroupName = keyof typeof questionGroups;
export type QuestionName = (typeof questionGroups)[GroupName][number];

export const groupNames = Object.keys(questionGroups) as GroupName[];
const questionNames: readonly QuestionName[] = groupNames.flatMap((name) => questionGroups[name]);

export interface QuestionsState {
  /** The one whose answer is open. */
  readonly question: QuestionName | 'none';
}

export const questionsFields: Fields<QuestionsState> = {
  question: choiceField('question', [...questionNames, 'none'], 'none'),
};
