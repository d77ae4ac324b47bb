import {
  AssociativeRecallTask,
  CopyTask,
  InductionTask,
  ReverseTask,
  SortTask,
  type Task,
} from 'headwise';

import { copyOffset, numItemSymbols, numNames, type TaskName } from './tasks.js';

const makers: Readonly<Record<TaskName, () => Task>> = {
  induction: () => new InductionTask({ numSymbols: 12, length: 20, minPeriod: 5, maxPeriod: 10 }),
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
