import {
  associativeRecallOptions,
  copyOptions,
  inductionOptions,
  sequenceOptions,
  taskSizes,
} from 'headwise-records';
import { failOutOfMemory } from '../runtime/errors.js';
import { allocateArray, isAbsent, type Address } from '../runtime/memory.js';
import { modelsCore } from '../runtime/models-build.js';
import { optional, readOptions, whole } from '../runtime/options.js';
import { receive, send } from '../runtime/records.js';
import type { Tokens } from '../tensor/tokens.js';

/** Sequences of a task, (batch, length) each. */
export interface TaskBatch {
  tokens: Tokens;
  /** The correct token for each position; −1 for positions without a loss. */
  targets: Tokens;
  /** The correct key for each query; −1 for queries without one. */
  keys: Tokens;
}

const size = whole();
const fromZero = whole('an integer from 0 on');

/** The order of `task_of` in task_calls.cpp. */
const kinds = ['copy', 'reverse', 'sort', 'associative-recall', 'induction'] as const;

/**
 * A synthetic task for a causal model: an endless supply of sequences with known answers, at known positions. The same
 * seed and number give the same sequence in every build and in C++. Needs `init`.
 */
export abstract class Task {
  /** Size of the vocabulary, separators included: a model's `vocabularySize`. */
  readonly vocabularySize: number;
  /** Length of a sequence in tokens: the minimum `maxLength` of a model. */
  readonly length: number;
  readonly #kind: number;
  /** Writes the options to working memory. */
  readonly #sendOptions: () => Address;

  /** @internal */
  protected constructor(kind: (typeof kinds)[number], sendOptions: () => Address) {
    const loaded = modelsCore();
    this.#kind = kinds.indexOf(kind);
    this.#sendOptions = sendOptions;
    const sizes = receive(taskSizes, loaded.taskSizes(this.#kind, sendOptions()));
    this.vocabularySize = sizes.vocabularySize;
    this.length = sizes.length;
  }

  /**
   * Sequences `first` to `first` + `batchSize` − 1 of this seed.
   *
   * @param seed an integer from 0 to 2^53 − 1
   * @throws HeadwiseError `invalid-option` unless all three are integers of at least 0; `not-initialized`,
   *   `out-of-memory`
   */
  batch(seed: number, batchSize: number, first = 0): TaskBatch {
    const loaded = modelsCore();
    const numbers = [
      fromZero('seed', seed),
      fromZero('batchSize', batchSize),
      fromZero('first', first),
    ] as const;
    const address = loaded.drawTask(this.#kind, this.#sendOptions(), ...numbers);
    if (isAbsent(address)) {
      failOutOfMemory();
    }
    const shape = Object.freeze([batchSize, this.length]);
    const count = batchSize * this.length;
    const part = (i: number): Tokens => {
      const data = allocateArray(Int32Array, count);
      data.set(loaded.HEAP32.subarray(address / 4 + i * count, address / 4 + (i + 1) * count));
      return { data, shape };
    };
    return { tokens: part(0), targets: part(1), keys: part(2) };
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
  /** @throws HeadwiseError `not-initialized`, `invalid-option`, `unknown-option`, as all tasks */
  constructor(options: CopyTaskOptions) {
    const read = readOptions(options, {
      ...{ numSymbols: size, length: size, offset: optional(size, 1) },
    });
    super('copy', () => send(copyOptions, read));
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

const sequenceReaders = { numSymbols: size, numItems: size };

/**
 * Random items, a separator, and the items in reverse, which must be predicted. The last answer is a target only, so a
 * sequence has 2 · `numItems` tokens.
 */
export class ReverseTask extends Task {
  constructor(options: SequenceTaskOptions) {
    const read = readOptions(options, sequenceReaders);
    super('reverse', () => send(sequenceOptions, read));
  }
}

/**
 * As `ReverseTask`, with the items in ascending order. They are drawn without repetition, so that each query has one
 * correct key.
 */
export class SortTask extends Task {
  constructor(options: SequenceTaskOptions) {
    const read = readOptions(options, sequenceReaders);
    super('sort', () => send(sequenceOptions, read));
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

/**
 * Pairs of a name and a value, then names, whose values must be predicted. The correct key is the value in the pair.
 * Source: Ba et al. 2016, Using Fast Weights to Attend to the Recent Past; Arora et al. 2023, Zoology, for several
 * questions.
 */
export class AssociativeRecallTask extends Task {
  constructor(options: AssociativeRecallTaskOptions) {
    const read = readOptions(options, {
      ...{ numNames: size, numValues: size, numPairs: size, numQuestions: optional(size, 1) },
    });
    super('associative-recall', () => send(associativeRecallOptions, read));
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
    const read = readOptions(options, {
      ...{ numSymbols: size, length: size, minPeriod: size, maxPeriod: size },
    });
    super('induction', () => send(inductionOptions, read));
  }
}
