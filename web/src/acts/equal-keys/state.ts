import {
  choiceField,
  type Field,
  nearest,
  numberField,
  seedRange,
  type StateOf,
  switchField,
  writtenField,
} from '../../address/field.js';
import { type Normalized, Store } from '../../address/store.js';
import { words as addressWords } from '../../address/words.js';
import { type AttentionInput, chapterKeys } from '../../attention/attention-view.js';
import { cutTo } from '../../format/sentences.js';
import { reasonOf } from '../../ui/notices.js';
import { dataWords, maxNameLength, readNumbers, type UserFile } from './user-data.js';

export const inputNames = ['ones', 'random', 'patterns', 'own'] as const;

/** Number of tokens with planted patterns. */
export const patternLength = 10;

/** Of a sample of the input: its keys, and how many of them are valid at first. */
export function keysOf(state: InputState): { readonly keys: number; readonly validLen: number } {
  if (state.input === 'ones' || state.input === 'random') return chapterKeys;
  const keys = state.input === 'patterns' ? patternLength : (ownTensors(state).keys.shape[1] ?? 0);
  return { keys, validLen: keys };
}

let last: { readonly numbers: string; readonly tensors: AttentionInput } | undefined;

/** The reader's queries, keys and values. Pasted numbers are parsed once for all changes of a state. */
export function ownTensors({ file, numbers }: InputState): AttentionInput {
  if (file !== undefined) return file;
  if (last?.numbers !== numbers) last = { numbers, tensors: readNumbers(numbers) };
  return last.tensors;
}

/** The questions of the act, in order. Each asks for a prediction first. */
export const questions = ['keys', 'mask', 'patterns'] as const;
export type Question = (typeof questions)[number];

/** What may make heads differ that attend to equal keys. */
export const causes = ['parameters', 'keys', 'training'] as const;
export type Cause = (typeof causes)[number];

/** How much weight the only valid key may get. */
export const shares = ['same', 'heads', 'one'] as const;
export type Share = (typeof shares)[number];

/** After 50 steps the loss is nearly 0. */
export const stepsRange = { min: 0, max: 50, step: 1 } as const;
/** Those that divide the size of all heads together. */
const headCounts = [1, 2, 4, 5, 10, 20] as const;
const headRange = { min: 1, max: 20, step: 1 } as const;

/** The longest numbers that an address can hold in all browsers. */
export const maxNumbersLength = 1500;

const fields = {
  question: choiceField('keys-question', questions, 'keys'),
  guess: choiceField('toy-guess', ['open', ...causes], 'open'),
  maskGuess: choiceField('mask-guess', ['open', ...shares], 'open'),
  /** The head that the reader marked as looking three back, counted from 1; 0: none. */
  answer: numberField('answer', { ...headRange, min: 0 }, 0),
  input: choiceField('input', inputNames, 'ones'),
  seed: numberField('seed', seedRange, 1),
  heads: choiceField<number>('heads', headCounts, 5),
  /** None: the input's own valid length. */
  validLen: writtenField<number | undefined>(
    'valid',
    undefined,
    (written) => (/^\d{1,2}$/.test(written) ? Number(written) : undefined),
    (validLen) => String(validLen ?? ''),
  ),
  causal: switchField('causal'),
  /** Training steps of the layer; 0 unless the input is ones or random. */
  steps: numberField('toy-steps', stepsRange, 0),
  /** The enlarged head, counted from 1. */
  head: numberField('head', headRange, 1),
  /** Whether planted patterns are named before the reader has found one. */
  names: switchField('names'),
  /** The reader's own numbers, as they were pasted. */
  numbers: numbersField('numbers', '1, 0, 0, 2\n0, 1, 0, 2\n0, 0, 1, 2\n1, 0, 0, 2'),
};

export interface KeysState extends StateOf<typeof fields> {
  /** The reader's file, used instead of `numbers`; the address has its name only. */
  readonly file: UserFile | undefined;
}

/** The part of the state that makes an input. */
export type InputState = Pick<KeysState, 'input' | 'seed' | 'heads' | 'numbers' | 'file'>;

/** Pasted numbers that can be read. They are never truncated: truncated numbers would be other numbers. */
function numbersField(name: string, initial: string): Field<string> {
  return {
    name,
    initial,
    write: String,
    read(written) {
      if (written.length > maxNumbersLength) {
        return {
          value: initial,
          correction: dataWords.corrections.tooManyNumbers(maxNumbersLength),
        };
      }
      try {
        readNumbers(written);
        return { value: written };
      } catch (error) {
        const reason = reasonOf(error, dataWords.user.unreadable);
        return { value: initial, correction: dataWords.corrections.numbers(reason) };
      }
    },
  };
}

export function validLenOf(state: KeysState): number {
  const { keys, validLen } = keysOf(state);
  return nearest(state.validLen ?? validLen, { min: 0, max: keys, step: 1 });
}

/** Makes values fit the input and each other. */
function normalize(given: KeysState): Normalized<KeysState> {
  const corrections: string[] = [];
  const { heads } = given;
  const validLen = validLenOf(given);
  const { validLen: written = validLen } = given;
  if (written !== validLen) {
    const { name } = fields.validLen;
    corrections.push(addressWords.list(name, String(written), String(validLen)));
  }
  const canTrain = given.input === 'ones' || given.input === 'random';
  const state = {
    ...given,
    validLen: validLen === keysOf(given).validLen ? undefined : validLen,
    steps: canTrain ? given.steps : 0,
    head: Math.min(given.head, heads),
    answer: given.input !== 'patterns' || given.answer > heads ? 0 : given.answer,
  };
  return { state, corrections };
}

/** The state of the act. It remembers the last file, because an address has only its name. */
export function createKeysStore(): Store<KeysState> {
  let last: UserFile | undefined;
  const file: Field<UserFile | undefined> = {
    name: 'file',
    initial: undefined,
    write: (held) => held?.name ?? '',
    isSame: (a, b) => a === b,
    read(written) {
      if (written === '') return { value: undefined };
      const wanted = cutTo(written, maxNameLength);
      if (last?.name === wanted) return { value: last };
      return { value: undefined, correction: dataWords.corrections.file(wanted) };
    },
  };
  const store = new Store<KeysState>({ ...fields, file }, normalize);
  store.subscribe((state) => {
    last = state.file ?? last;
  });
  return store;
}
