import { taskRecord, type TaskRecord } from 'headwise-records';
import { failOption } from '../runtime/errors.js';
import { allocate, reserve, type Address } from '../runtime/memory.js';
import { modelsCore } from '../runtime/models-build.js';
import { checkOptions, checkSize, isIntegerIn } from '../runtime/options.js';
import { toWide, writeRecord } from '../runtime/records.js';
import type { Tokens } from '../tensor/tokens.js';

/** Sequences of a task, (batch, length) each. */
export interface TaskBatch {
  tokens: Tokens;
  /** The correct token for each position; −1 for positions without a loss. */
  targets: Tokens;
  /** The correct key for each query; −1 for queries without one. */
  keys: Tokens;
}

/** Checks an integer from 0 to 2^53 − 1. */
function checkCount(argument: string, value: unknown): number {
  if (!isIntegerIn(value, 0)) {
    failOption(argument, 'an integer from 0 on', value);
  }
  return value;
}

function checkAtLeast(argument: string, value: unknown, other: string, least: number): number {
  const size = checkSize(argument, value);
  if (size < least) {
    failOption(argument, `at least ${other} (${least})`, size);
  }
  return size;
}

/** Checks that the number of symbols or tokens fits in 32 bits. */
function checkFits(argument: string, what: string, unit: string, count: number): void {
  if (count > 2147483647) {
    failOption(argument, `${what} of at most 2147483647 ${unit}`, count);
  }
}

const checkVocabulary = (argument: string, symbols: number): void => {
  checkFits(argument, 'a vocabulary', 'symbols', symbols);
};

const checkLength = (argument: string, tokens: number): void => {
  checkFits(argument, 'sequences', 'tokens', tokens);
};

/** The order of `draw_task` in task_calls.cpp. */
const kinds = ['copy', 'reverse', 'sort', 'associative-recall', 'induction'] as const;

/**
 * A synthetic task for a causal model: an endless supply of sequences with known answers, at known positions. The same
 * seed and number give the same sequence in every build and in C++.
 */
export abstract class Task {
  /** Size of the vocabulary, separators included: a model's `vocabularySize`. */
  readonly vocabularySize: number;
  /** Length of a sequence in tokens: the minimum `maxLength` of a model. */
  readonly length: number;
  readonly #task: Pick<TaskRecord, 'kind' | 'a' | 'b' | 'c' | 'd'>;

  /** @internal */
  protected constructor(
    kind: (typeof kinds)[number],
    options: readonly [number, number, number?, number?],
    vocabularySize: number,
    length: number,
  ) {
    const [a, b, c = 0, d = 0] = options;
    this.#task = { kind: kinds.indexOf(kind), a, b, c, d };
    this.vocabularySize = vocabularySize;
    this.length = length;
  }

  /**
   * Sequences `first` to `first` + `batchSize` − 1 of this seed. Needs `init`.
   *
   * @param seed an integer from 0 to 2^53 − 1
   * @throws HeadwiseError `invalid-option` unless all three are integers of at least 0; `not-initialized`,
   *   `out-of-memory`
   */
  batch(seed: number, batchSize: number, first = 0): TaskBatch {
    const loaded = modelsCore();
    checkCount('seed', seed);
    const rows = checkCount('batchSize', batchSize);
    checkCount('first', first);
    const shape = Object.freeze([rows, this.length]);
    const count = rows * this.length;
    const [record, tokens, targets, keys, workspace] = reserve(
      taskRecord.words,
      count,
      count,
      count,
      this.vocabularySize,
    );
    const result = (): Tokens => ({ data: new Int32Array(allocate(count).buffer), shape });
    const batch = { tokens: result(), targets: result(), keys: result() };
    writeRecord(record, taskRecord, {
      ...this.#task,
      ...{ seed: toWide(seed), first: toWide(first), batchSize: rows },
      ...{ tokens, targets, keys, workspace },
    });
    loaded.drawTask(record);
    const read = ({ data }: Tokens, address: Address): void => {
      data.set(loaded.HEAP32.subarray(address / 4, address / 4 + count));
    };
    read(batch.tokens, tokens);
    read(batch.targets, targets);
    read(batch.keys, keys);
    return batch;
  }

  /** With a tag, Vue's `reactive` returns the object itself. Its proxies cannot access private fields. */
  get [Symbol.toStringTag](): string {
    return this.constructor.name;
  }
}

export interface CopyTaskOptions {
  /** Number of symbols. At least 1. */
  numSymbols: number;
  /** Length of a sequence in tokens. At least `offset` + 1. */
  length: number;
  /** Distance to the token to copy. At least 1. Default: 1, the previous token. */
  offset?: number | undefined;
}

/** Random tokens; each position must predict the token `offset` positions before it. */
export class CopyTask extends Task {
  /** @throws HeadwiseError `invalid-option`, `unknown-option`, as all tasks */
  constructor(options: CopyTaskOptions) {
    const { offset = 1, ...given } = checkOptions(options, ['numSymbols', 'length', 'offset']);
    const numSymbols = checkSize('numSymbols', given.numSymbols);
    checkSize('offset', offset);
    const length = checkAtLeast('length', given.length, 'offset + 1', offset + 1);
    super('copy', [numSymbols, length, offset], numSymbols, length);
  }
}

export interface SequenceTaskOptions {
  /**
   * Number of symbols. The separator is one more, the last of the vocabulary. At least 1; for `SortTask`, at least
   * `numItems`.
   */
  numSymbols: number;
  /** Number of symbols before the separator. At least 1. */
  numItems: number;
}

function checkSequence(options: SequenceTaskOptions): [number, number] {
  const given = checkOptions(options, ['numSymbols', 'numItems']);
  const numSymbols = checkSize('numSymbols', given.numSymbols);
  const numItems = checkSize('numItems', given.numItems);
  checkVocabulary('numSymbols', numSymbols + 1);
  checkLength('numItems', 2 * numItems);
  return [numSymbols, numItems];
}

/**
 * Random items, a separator, and the items in reverse, which must be predicted. The last answer is a target only, so a
 * sequence has 2 · `numItems` tokens.
 */
export class ReverseTask extends Task {
  constructor(options: SequenceTaskOptions) {
    const [numSymbols, numItems] = checkSequence(options);
    super('reverse', [numSymbols, numItems], numSymbols + 1, 2 * numItems);
  }
}

/**
 * As `ReverseTask`, with the items in ascending order. They are drawn without repetition, so that each query has one
 * correct key.
 */
export class SortTask extends Task {
  constructor(options: SequenceTaskOptions) {
    const [numSymbols, numItems] = checkSequence(options);
    checkAtLeast('numSymbols', numSymbols, 'numItems', numItems);
    super('sort', [numSymbols, numItems], numSymbols + 1, 2 * numItems);
  }
}

export interface AssociativeRecallTaskOptions {
  /** Number of symbols for names, drawn without repetition. At least `numPairs`. */
  numNames: number;
  /** Number of symbols for values; their tokens start at `numNames`. At least 1. */
  numValues: number;
  /** Number of pairs in a sequence. At least 1. */
  numPairs: number;
  /** Number of names after the pairs. At least 1. Default: 1. */
  numQuestions?: number | undefined;
}

const recallNames = ['numNames', 'numValues', 'numPairs', 'numQuestions'] as const;

/**
 * Pairs of a name and a value, then names, whose values must be predicted. The correct key is the value in the pair.
 * Source: Ba et al. 2016, Using Fast Weights to Attend to the Recent Past; Arora et al. 2023, Zoology, for several
 * questions.
 */
export class AssociativeRecallTask extends Task {
  constructor(options: AssociativeRecallTaskOptions) {
    const { numQuestions = 1, ...given } = checkOptions(options, recallNames);
    const numValues = checkSize('numValues', given.numValues);
    const numPairs = checkSize('numPairs', given.numPairs);
    checkSize('numQuestions', numQuestions);
    const numNames = checkAtLeast('numNames', given.numNames, 'numPairs', numPairs);
    checkVocabulary('numValues', numNames + numValues);
    checkLength('numPairs', 2 * numPairs + numQuestions);
    super(
      'associative-recall',
      [numNames, numValues, numPairs, numQuestions],
      numNames + numValues,
      2 * numPairs + numQuestions,
    );
  }
}

export interface InductionTaskOptions {
  /** Number of symbols for a period, drawn without repetition. At least `maxPeriod`. */
  numSymbols: number;
  /** Length of a sequence in tokens. More than `maxPeriod`. */
  length: number;
  /** Each sequence's period has a length from `minPeriod` to `maxPeriod`. At least 1. */
  minPeriod: number;
  maxPeriod: number;
}

/**
 * A random period, repeated. From the first repeated token on, each position must predict the next token; the correct
 * key is the one after the same token one period earlier. If a period fits in more than twice, the successors of older
 * copies are correct, too, and `inductionScores` counts them. Periods vary, so a head cannot rely on distance: it must
 * match tokens. Source: Elhage et al. 2021; Olsson et al. 2022, In-context Learning and Induction Heads.
 */
export class InductionTask extends Task {
  constructor(options: InductionTaskOptions) {
    const given = checkOptions(options, ['numSymbols', 'length', 'minPeriod', 'maxPeriod']);
    const minPeriod = checkSize('minPeriod', given.minPeriod);
    const maxPeriod = checkAtLeast('maxPeriod', given.maxPeriod, 'minPeriod', minPeriod);
    const numSymbols = checkAtLeast('numSymbols', given.numSymbols, 'maxPeriod', maxPeriod);
    const length = checkAtLeast('length', given.length, 'maxPeriod + 1', maxPeriod + 1);
    super('induction', [numSymbols, length, minPeriod, maxPeriod], numSymbols, length);
  }
}
