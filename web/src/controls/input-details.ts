import { element } from '../dom.js';
import type { Inputs } from '../inputs/inputs.js';
import { fileKinds, readOwnFile } from '../inputs/own-file.js';
import { largestOwn, readNumbers } from '../inputs/own-numbers.js';
import { longestText, tokenKinds, tokensOf } from '../inputs/typed-text.js';
import { longestWritten, type HeadsState, type Input } from '../state/heads-state.js';
import type { Store } from '../state/store.js';
import { text } from '../text/index.js';
import { createChoice } from './choice.js';
import { createFileDrop } from './file-drop.js';
import { createSwitch } from './switch.js';
import { createWrittenField } from './written-field.js';

export interface InputDetails {
  readonly root: HTMLElement;
  show(state: HeadsState): void;
}

/** What else is to be said of the chosen input; `dropTarget` takes files wherever they fall. */
export function createInputDetails(
  store: Store<HeadsState>,
  inputs: Inputs,
  dropTarget: HTMLElement,
): InputDetails {
  const typed = createTypedText(store);
  const own = createOwn(store, inputs, dropTarget);
  const details: Partial<Record<Input, InputDetails>> = {
    patterns: {
      root: element('p', { class: 'note' }, text.patterns.note),
      show: () => undefined,
    },
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

function createTypedText(store: Store<HeadsState>): InputDetails {
  const field = createWrittenField({
    label: text.typed.label,
    hint: text.typed.hint(longestText.lines, longestText.tokens),
    rows: longestText.lines,
    maxLength: longestWritten.text,
    onWrite(written, origin) {
      if (tokensOf(written, store.state.tokens).length === 0) throw new Error(text.typed.nothing);
      store.change({ text: written, validLens: [] }, origin);
    },
  });
  const tokens = createChoice({
    label: text.typed.tokens,
    values: tokenKinds,
    nameOf: (kind) => text.typed.kinds[kind],
    onChoose: (kind) => {
      store.change({ tokens: kind, validLens: [] });
    },
  });
  const positions = createSwitch(text.typed.positions, (isOn) => {
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

function createOwn(
  store: Store<HeadsState>,
  inputs: Inputs,
  dropTarget: HTMLElement,
): InputDetails {
  const message = element('p', { class: 'control-hint', role: 'status' });
  const held = element('p', { class: 'note' });
  const field = createWrittenField({
    label: text.own.pasted,
    hint: text.own.pastedHint(largestOwn),
    rows: 5,
    maxLength: longestWritten.numbers,
    onWrite(written, origin) {
      readNumbers(written);
      message.textContent = '';
      store.change({ numbers: written, file: '', validLens: [] }, origin);
    },
  });
  const read = async (file: File): Promise<void> => {
    try {
      inputs.hold(await readOwnFile(file));
      message.textContent = '';
      store.change({ input: 'own', file: file.name, validLens: [] });
      store.announce();
    } catch (error) {
      store.change({ input: 'own' });
      const reason = error instanceof Error ? error.message : String(error);
      message.textContent = text.own.failed(file.name, reason);
    }
  };
  const file = createFileDrop(dropTarget, {
    label: text.own.file,
    hint: text.own.fileHint,
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
      field.show(state.numbers);
      const shown = inputs.file?.name === state.file ? inputs.file : undefined;
      held.textContent =
        shown === undefined
          ? ''
          : 'queries' in shown
            ? text.own.heldTensors(shown.name)
            : text.own.heldParameters(shown.name, shown.prefix);
    },
  };
}
