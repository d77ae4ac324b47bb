import {
  AssociativeRecallTask,
  CopyTask,
  InductionTask,
  ReverseTask,
  SortTask,
  type Task,
} from 'headwise/models';

/** Tasks of which it is known where every query should look. */
export const taskNames = ['induction', 'recall', 'sort', 'reverse', 'copy', 'previous'] as const;
export type TaskName = (typeof taskNames)[number];

/** How far back the task `copy` looks: too far to be taken for the token before. */
export const copyOffset = 3;

/** Of recall: tokens below are names, the others values. */
export const numNames = 8;

/** What items are drawn from; the separator is the symbol behind them. */
export const numItemSymbols = { sort: 16, reverse: 12 } as const;

const letter = (index: number): string => String.fromCharCode('a'.charCodeAt(0) + index);

/** A token as people read it: letters; values of recall are digits; `|` separates. */
export function symbolOf(name: TaskName, token: number): string {
  if (name === 'recall' && token >= numNames) return String(token - numNames);
  const isSeparator = (name === 'sort' || name === 'reverse') && token === numItemSymbols[name];
  return isSeparator ? '|' : letter(token);
}

const makers: Readonly<Record<TaskName, () => Task>> = {
  // Of fewer symbols, or shorter periods, one layer learns most: the next token is then the one that was longest ago.
  induction: () => new InductionTask({ numSymbols: 26, length: 20, minPeriod: 6, maxPeriod: 12 }),
  recall: () => new AssociativeRecallTask({ numNames, numValues: 8, numPairs: 6, numQuestions: 4 }),
  sort: () => new SortTask({ numSymbols: numItemSymbols.sort, numItems: 6 }),
  reverse: () => new ReverseTask({ numSymbols: numItemSymbols.reverse, numItems: 8 }),
  copy: () => new CopyTask({ numSymbols: 12, length: 16, offset: copyOffset }),
  previous: () => new CopyTask({ numSymbols: 12, length: 16 }),
};

/** Small enough for every cell of a map to be seen, and to be learnt in seconds. */
export function makeTask(name: TaskName): Task {
  return makers[name]();
}
