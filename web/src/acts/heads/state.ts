import {
  choiceField,
  type Field,
  type Fields,
  nearest,
  numberField,
  numberListField,
  seedRange,
  switchField,
} from '../../address/field.js';
import { type Normalized, Store } from '../../address/store.js';
import { words as addressWords } from '../../address/words.js';
import type { LayerSettings } from '../../attention/layer.js';
import { cutTo, listOf } from '../../format/sentences.js';
import { reasonOf } from '../../ui/reason.js';
import { inputNames, type InputState, sizesOf } from './sizes.js';
import { words } from './state-words.js';
import { textLimits, tokenKinds, tokensOf, usedText } from './typed-text.js';
import { maxNameLength, pastedName, readNumbers, type UserFile } from './user-data.js';

/** The layer's parts, in the order in which a query passes them. */
export const layerParts = [
  'queries',
  'keys',
  'values',
  'W_q',
  'W_k',
  'W_v',
  'q',
  'k',
  'v',
  'weights',
  'pooled',
  'concat',
  'W_o',
  'output',
] as const;
export type LayerPart = (typeof layerParts)[number];

/**
 * What the controls of the act hold. Valid lengths may be none: then they are the input's
 * own.
 */
export interface HeadsState extends LayerSettings, InputState {
  /** Whether each map has a scale of its own. */
  readonly contrast: boolean;
  /** One for each head; none: all open. */
  readonly gates: readonly number[];
  /** The sample and the head that are looked at closely, counted from 1. */
  readonly sample: number;
  readonly head: number;
  /** The head that this one is compared with, counted from 1; 0 is none. */
  readonly compare: number;
  /** The part of the layer whose numbers are shown. */
  readonly part: LayerPart;
  /** The head that the reader takes for the one that looks three back, counted from 1; 0 is none. */
  readonly answer: number;
  /** Whether planted patterns are named before the reader has found one. */
  readonly names: boolean;
}

export const scaleRange = { min: 0, max: 10, step: 0.25 } as const;
export const dropoutRange = { min: 0, max: 0.9, step: 0.1 } as const;
export const gateRange = { min: 0, max: 1, step: 0.05 } as const;
const initialHeads = 5;
const indexRange = { min: 1, max: 20, step: 1 } as const;

/** As many characters of numbers as an address may be long everywhere. */
export const maxNumbersLength = 1500;

const fields = {
  input: choiceField('input', inputNames, 'random'),
  seed: numberField('seed', seedRange, 1),
  heads: numberField('heads', { ...indexRange, max: 64 }, initialHeads),
  validLens: numberListField('valid'),
  causal: switchField('causal'),
  scale: numberField('scale', scaleRange, 1),
  dropout: numberField('dropout', dropoutRange, 0),
  contrast: switchField('contrast'),
  gates: numberListField('gates'),
  sample: numberField('sample', indexRange, 1),
  head: numberField('head', indexRange, 1),
  compare: numberField('compare', { ...indexRange, min: 0 }, 0),
  part: choiceField('part', layerParts, 'weights'),
  answer: numberField('answer', { ...indexRange, min: 0 }, 0),
  names: switchField('names'),
  text: typedTextField('text', 'the cat saw the dog\nthe dog ran'),
  tokens: choiceField('tokens', tokenKinds, 'words'),
  positions: switchField('positions', true),
  numbers: userNumbersField('numbers', '1, 0, 0, 2\n0, 1, 0, 2\n0, 0, 1, 2\n1, 0, 0, 2'),
} satisfies Partial<Fields<HeadsState>>;

/** As much of a text as is used. */
function typedTextField(name: string, initial: string): Field<string> {
  const { lines, tokens, characters } = textLimits;
  return {
    name,
    initial,
    read(written) {
      const { used, isCut } = usedText(written);
      if (!isCut) return { value: used };
      return { value: used, correction: words.corrections.typed(name, lines, tokens, characters) };
    },
    write: String,
  };
}

/** Pasted numbers that can be read. Cut, they would be others. */
function userNumbersField(name: string, initial: string): Field<string> {
  return {
    name,
    initial,
    write: String,
    read(written) {
      if (written.length > maxNumbersLength) {
        return { value: initial, correction: words.corrections.tooManyNumbers(maxNumbersLength) };
      }
      try {
        readNumbers(written);
        return { value: written };
      } catch (error) {
        const reason = reasonOf(error, words.user.unreadable);
        return { value: initial, correction: words.corrections.numbers(reason) };
      }
    },
  };
}

/** The valid length of each sample. */
export function validLensOf(state: HeadsState): readonly number[] {
  const { keys, lens } = sizesOf(state);
  const range = { min: 0, max: keys, step: 1 };
  return lens.map((length, sample) => nearest(state.validLens[sample] ?? length, range));
}

/** The gate of each head. */
export function gatesOf({ gates, heads }: HeadsState): readonly number[] {
  return Array.from({ length: heads }, (_none, head) => nearest(gates[head] ?? 1, gateRange));
}

/** A state whose numbers fit the input and each other; lists are left out where they say nothing. */
function normalize(given: HeadsState): Normalized<HeadsState> {
  const corrections: string[] = [];
  let state = given;
  const correct = (part: Partial<HeadsState>, correction?: string): void => {
    state = { ...state, ...part };
    if (correction !== undefined) corrections.push(correction);
  };

  if (tokensOf(state.text, state.tokens).length === 0) {
    correct({ text: fields.text.initial });
  }

  const { batch, lens, headCounts } = sizesOf(state);
  if (!headCounts.includes(state.heads)) {
    const fitting = headCounts.includes(initialHeads) ? initialHeads : (headCounts.at(-1) ?? 1);
    const { name } = fields.heads;
    correct(
      { heads: fitting },
      addressWords.choice(name, String(state.heads), headCounts, String(fitting)),
    );
  }
  const validLens = validLensOf(state);
  if (!['', validLens.join()].includes(state.validLens.join())) {
    const { name } = fields.validLens;
    correct({}, addressWords.list(name, state.validLens.join(), listOf(validLens)));
  }
  const gates = gatesOf(state);
  return {
    state: {
      ...state,
      validLens: validLens.join() === lens.join() ? [] : validLens,
      gates: gates.every((gate) => gate === 1) ? [] : gates,
      sample: Math.min(state.sample, batch),
      head: Math.min(state.head, state.heads),
      compare: state.compare > state.heads ? 0 : state.compare,
      answer: state.input !== 'patterns' || state.answer > state.heads ? 0 : state.answer,
    },
    corrections,
  };
}

/** The state of the act. The last file stays at hand for an address that names it. */
export function createHeadsStore(): Store<HeadsState> {
  let last: UserFile | undefined;
  const store = new Store<HeadsState>(
    { ...fields, file: fileField('file', () => last) },
    normalize,
  );
  store.subscribe(({ file }) => {
    last = file ?? last;
  });
  return store;
}

/** A file of the reader's: only its name fits into an address. */
function fileField(name: string, last: () => UserFile | undefined): Field<UserFile | undefined> {
  return {
    name,
    initial: undefined,
    write: (file) => file?.name ?? '',
    isSame: (a, b) => a === b,
    read(written) {
      if (written === '') return { value: undefined };
      const wanted = cutTo(written, maxNameLength);
      const file = last();
      if (file?.name === wanted) return { value: file };
      const { pasted, file: lost } = words.corrections;
      return { value: undefined, correction: wanted === pastedName ? pasted : lost(wanted) };
    },
  };
}
