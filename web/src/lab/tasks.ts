import {
  AssociativeRecallTask,
  CopyTask,
  InductionTask,
  ReverseTask,
  SortTask,
  type Task,
} from 'headwise';

/** Tasks of which it is known where every query should look. */
export const taskNames = ['induction', 'recall', 'sort', 'reverse', 'copy', 'previous'] as const;
export type TaskName = (typeof taskNames)[number];

/** How far back the task `copy` looks: too far to be taken for the token before. */
export const copyOffset = 3;

const numNames = 8;

const makers: Readonly<Record<TaskName, () => Task>> = {
  induction: () => new InductionTask({ numSymbols: 12, length: 20, minPeriod: 5, maxPeriod: 10 }),
  recall: () => new AssociativeRecallTask({ numNames, numValues: 8, numPairs: 6, numQuestions: 4 }),
  sort: () => new SortTask({ numSymbols: 16, numItems: 6 }),
  reverse: () => new ReverseTask({ numSymbols: 12, numItems: 8 }),
  copy: () => new CopyTask({ numSymbols: 12, length: 16, offset: copyOffset }),
  previous: () => new CopyTask({ numSymbols: 12, length: 16 }),
};

/** Small enough for every cell of a map to be seen, and to be learnt in seconds. */
export function makeTask(name: TaskName): Task {
  return makers[name]();
}

const letter = (index: number): string => String.fromCharCode('a'.charCodeAt(0) + index);

/** A token as people read it: letters; of recall letters name and digits are named; `|` separates. */
export function symbolOf(name: TaskName, token: number): string {
  if (name === 'recall') return token < numNames ? letter(token) : String(token - numNames);
  const isSeparator = (name === 'sort' || name === 'reverse') && token === separators[name];
  return isSeparator ? '|' : letter(token);
}

/** The last of each vocabulary, behind the symbols above. */
const separators = { sort: 16, reverse: 12 } as const;
