import type { Origin, Store } from '../../address/store.js';
import { cutTo } from '../../format/sentences.js';
import { createChoice, createSwitch } from '../../ui/controls/choice.js';
import { createFileDrop } from '../../ui/controls/file-drop.js';
import { createTextArea } from '../../ui/controls/text-area.js';
import { element } from '../../ui/dom.js';
import { announce } from '../../ui/live-region.js';
import { reasonOf } from '../../ui/reason.js';
import type { Input } from './sizes.js';
import { type HeadsState, maxNumbersLength } from './state.js';
import { words as stateWords } from './state-words.js';
import { textLimits, tokenKinds, usedText } from './typed-text.js';
import { maxNameLength, pastedName, readNumbers, type UserFile, userLimits } from './user-data.js';
import { fileKinds, readUserFile } from './user-file.js';
import { words } from './words.js';

/** Characters that are read at once, before the reader notices. */
const maxPastedLength = 200_000;

export interface InputDetails {
  readonly root: HTMLElement;
  show(state: HeadsState): void;
}

/** The further settings of the chosen input; files can be dropped anywhere on `dropTarget`. */
export function createInputDetails(
  store: Store<HeadsState>,
  dropTarget: HTMLElement,
): InputDetails {
  const typed = createTypedText(store);
  const own = createUserData(store, dropTarget);
  const details: Partial<Record<Input, InputDetails>> = {
    patterns: createPatternDetails(store),
    text: typed,
    own,
  };
  const all = Object.entries(details);
  return {
    root: element('div', { class: 'input-details' }, ...all.map(([, { root }]) => root)),
    show(state) {
      for (const [input, detail] of all) {
        detail.root.hidden = input !== state.input;
        detail.show(state);
      }
    },
  };
}

function createPatternDetails(store: Store<HeadsState>): InputDetails {
  const names = createSwitch(words.patterns.names, (isOn) => {
    store.change({ names: isOn });
  });
  return {
    root: element(
      'div',
      { class: 'pattern-details' },
      element('p', { class: 'note' }, words.patterns.note),
      names.root,
    ),
    show(state) {
      names.show(state.names);
    },
  };
}

function createTypedText(store: Store<HeadsState>): InputDetails {
  const field = createTextArea({
    label: words.typed.label,
    hint: words.typed.hint(textLimits.lines, textLimits.tokens),
    rows: textLimits.lines,
    onWrite(written, origin) {
      const { used, isCut } = usedText(written);
      if (used === '') throw new Error(words.typed.nothing);
      store.change({ text: used, validLens: [] }, origin);
      const { lines, tokens, characters } = textLimits;
      return isCut ? words.typed.cut(lines, tokens, characters) : '';
    },
  });
  const tokens = createChoice({
    label: words.typed.tokens,
    values: tokenKinds,
    nameOf: (kind) => words.typed.kinds[kind],
    onChoose: (kind) => {
      store.change({ tokens: kind, validLens: [] });
    },
  });
  const positions = createSwitch(words.typed.positions, (isOn) => {
    store.change({ positions: isOn });
  });
  return {
    root: element('div', { class: 'controls' }, field.root, tokens.root, positions.root),
    show(state) {
      field.show(state.text);
      tokens.show(state.tokens);
      positions.show(state.positions);
    },
  };
}

function createUserData(store: Store<HeadsState>, dropTarget: HTMLElement): InputDetails {
  const message = element('p', { class: 'control-hint' });
  const held = element('p', { class: 'note' });
  const field = createTextArea({
    label: words.user.pasted,
    hint: words.user.pastedHint(userLimits),
    rows: 5,
    onWrite(written, origin) {
      if (written.length > maxPastedLength) {
        throw new Error(words.user.tooLong(written.length, maxPastedLength));
      }
      const tensors = readNumbers(written);
      newest += 1;
      message.textContent = '';
      if (written.length > maxNumbersLength) {
        show({ name: pastedName, pasted: written, ...tensors }, origin);
      } else {
        store.change({ numbers: written, file: undefined, validLens: [] }, origin);
      }
      return '';
    },
  });
  const show = (file: UserFile, origin: Origin): void => {
    store.change({ input: 'own', file, validLens: [] }, origin);
  };
  /** Grows with everything that is given: a file that takes long to read must not take the place of it. */
  let newest = 0;
  const read = async (file: File): Promise<void> => {
    newest += 1;
    const number = newest;
    try {
      const held = await readUserFile(file);
      if (number !== newest) return;
      message.textContent = '';
      show(held, 'push');
      announce(heldMessage(held));
    } catch (error) {
      if (number !== newest) return;
      store.change({ input: 'own' });
      const reason = reasonOf(error, stateWords.user.unreadable);
      message.textContent = words.user.failed(cutTo(file.name, maxNameLength), reason);
      announce(message.textContent);
    }
  };
  const file = createFileDrop(dropTarget, {
    label: words.user.file,
    hint: words.user.fileHint,
    accept: fileKinds,
    onFile: (chosen) => void read(chosen),
  });
  return {
    root: element(
      'div',
      { class: 'controls' },
      field.root,
      element('div', { class: 'control' }, file, held, message),
    ),
    show(state) {
      const { file } = state;
      field.show(file?.pasted ?? state.numbers);
      held.textContent = file === undefined ? '' : heldMessage(file);
    },
  };
}

function heldMessage(file: UserFile): string {
  if (file.pasted !== undefined) return words.user.heldPasted(maxNumbersLength);
  if ('queries' in file) return words.user.heldTensors(file.name);
  return words.user.heldParameters(file.name, file.prefix);
}
