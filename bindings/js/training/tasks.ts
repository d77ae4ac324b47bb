import { taskRecord, type TaskRecord } from 'headwise-records';
import { fail, show } from '../runtime/errors.js';
import { allocate, reserve, type Address } from '../runtime/memory.js';
import { modelsCore } from '../runtime/models-build.js';
import { checkOptions, checkSize, isIntegerIn } from '../runtime/options.js';
import { toWide, writeRecord } from '../runtime/records.js';
import type { Tokens } from '../tensor/tokens.js';

/** Sequences of a task, (batch, length) each. */
export interface TaskBatch {
  tokens: Tokens;
  /** What each position is to say; −1 where nothing is asked. */
  targets: Tokens;
  /** The position that each query should look at; −1 where there is none. */
  keys: Tokens;
}

/** An integer from 0 to 2^53 − 1. */
function checkCount(argument: string, value: unknown): number {
  if (!isIntegerIn(value, 0)) {
    fail('invalid-option', argument, 'an integer from 0 on', show(value));
  }
  return value;
}

function checkAtLeast(argument: string, value: unknown, other: string, least: number): number {
  const size = checkSize(argument, value);
  if (size < least) {
    fail('invalid-option', argument, `at least ${other} (${least})`, show(size));
  }
  return size;
}

/** Sequences hold numbers of symbols, and keys numbers of tokens, in 32 bits. */
function checkFits(argument: string, what: string, unit: string, count: number): void {
  if (count > 2147483647) {
    fail('invalid-option', argument, `${what} of at most 2147483647 ${unit}`, show(count));
  }
}

const checkVocabulary = (argument: string, symbols: number): void => {
  checkFits(argument, 'a vocabulary', 'symbols', symbols);
};

const checkLength = (argument: string, tokens: number): void => {
  checkFits(argument, 'sequences', 'tokens', tokens);
};

/** Kinds as `draw_task` in task_calls.cpp counts them. */
const kinds = ['copy', 'reverse', 'sort', 'associative-recall', 'induction'] as const;

/**
 * A task whose answer, and the place where it stands, is known: endless sequences for a causal model. The same seed and
 * number give the same sequence in every build of headwise.
 */
export abstract class Task {
  /** Symbols that tokens may be, separators among them: a model's `vocabularySize`. */
  readonly vocabularySize: number;
  /** Tokens of a sequence: a model's `maxLength` at least. */
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
   * The sequences `first` to `first` + `batchSize` − 1 of the seed. Needs `init`.
   *
   * @throws HeadwiseError `invalid-option` for what is no integer from 0 on; `not-initialized`, `out-of-memory`
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

  /** Vue's `reactive` leaves objects with a tag alone; private fields do not work through its proxies. */
  get [Symbol.toStringTag](): string {
    return this.constructor.name;
  }
}

export interface CopyTaskOptions {
  /** Symbols that are drawn from. At least 1. */
  numSymbols: number;
  /** Tokens of a sequence. At least `offset` + 1. */
  length: number;
  /** How far back the copied token stands. At least 1; 1, the default, is the previous token. */
  offset?: number | undefined;
}

/** Random tokens; each position is to say the token `offset` positions before it. */
export class CopyTask extends Task {
  /** @throws HeadwiseError `invalid-option`, `unknown-option`, as the other tasks */
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
   * Symbols that are drawn from; the separator is one more, the last of the vocabulary. At least 1, and `numItems` for
   * `SortTask`.
   */
  numSymbols: number;
  /** Symbols before the separator. At least 1. */
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
 * Random items, a separator, and the items from the last to the first, which are to be said: 2 · `numItems` tokens, since
 * nothing follows the last answer.
 */
export class ReverseTask extends Task {
  constructor(options: SequenceTaskOptions) {
    const [numSymbols, numItems] = checkSequence(options);
    super('reverse', [numSymbols, numItems], numSymbols + 1, 2 * numItems);
  }
}

/**
 * The same with the items from the smallest to the largest. They are drawn without repetition, so that each query has
 * one right key.
 */
export class SortTask extends Task {
  constructor(options: SequenceTaskOptions) {
    const [numSymbols, numItems] = checkSequence(options);
    checkAtLeast('numSymbols', numSymbols, 'numItems', numItems);
    super('sort', [numSymbols, numItems], numSymbols + 1, 2 * numItems);
  }
}

export interface AssociativeRecallTaskOptions {
  /** Symbols that names are drawn from, without repetition: at least `numPairs`. */
  numNames: number;
  /** Symbols that values are drawn from, numbered from `numNames` on. At least 1. */
  numValues: number;
  /** Pairs of a sequence. At least 1. */
  numPairs: number;
  /** Names asked for after the pairs. At least 1, the default. */
  numQuestions?: number | undefined;
}

const recallNames = ['numNames', 'numValues', 'numPairs', 'numQuestions'] as const;

/**
 * Pairs of a name and a value, then names, of each of which the value is to be said; the right key is the value in the
 * pair. Source: Ba et al. 2016, Using Fast Weights to Attend to the Recent Past; Arora et al. 2023, Zoology, for several
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
  /** Symbols that a period is drawn from, without repetition: at least `maxPeriod`. */
  numSymbols: number;
  /** Tokens of a sequence. More than `maxPeriod`. */
  length: number;
  /** Each sequence has a period of its own between these two. At least 1. */
  minPeriod: number;
  maxPeriod: number;
}

/**
 * A random period, repeated. From the first token that was there before on, each position is to say what will follow;
 * the right key is what followed the same token a period ago. Where a period fits in more than twice, what followed
 * older copies is as right: `inductionScores` counts it. Since periods vary, distance says nothing: a head must match
 * tokens. Source: Elhage et al. 2021; Olsson et al. 2022, In-context Learning and Induction Heads.
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
