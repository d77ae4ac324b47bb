import type { Store } from '../../address/store.js';
import { cutTo } from '../../format/sentences.js';
import { createFileDrop } from '../../ui/controls/file-drop.js';
import { createTextArea } from '../../ui/controls/text-area.js';
import { element, setAttributes } from '../../ui/dom.js';
import { announce, say } from '../../ui/live-region.js';
import { reasonOf } from '../../ui/reason.js';
import { type KeysState, maxNumbersLength } from './state.js';
import { words as stateWords } from './state-words.js';
import { maxNameLength, readNumbers, userLimits } from './user-data.js';
import { fileKinds, readUserFile } from './user-file.js';
import { words } from './words.js';

/** A field and a file for the reader's own numbers; files can be dropped anywhere on `dropTarget`. */
export function createOwnNumbers(
  store: Store<KeysState>,
  dropTarget: HTMLElement,
): { readonly root: HTMLElement } {
  const message = element('p', { class: 'control-hint' });
  const held = element('p', { class: 'note' });
  /** Grows with every input: a file that takes long to read must not replace a later one. */
  let newest = 0;
  const explain = (sentence: string): void => {
    say(message, sentence);
    setAttributes(message, { 'data-wrong': sentence !== '' });
  };
  const field = createTextArea({
    label: words.own.pasted,
    hint: words.own.hint(userLimits.length),
    rows: 4,
    onWrite(written, origin) {
      if (written.length > maxNumbersLength) {
        throw new Error(words.own.tooLong(written.length, maxNumbersLength));
      }
      readNumbers(written);
      newest += 1;
      explain('');
      store.change({ numbers: written, file: undefined, validLens: [] }, origin);
      return '';
    },
  });
  const read = async (chosen: File): Promise<void> => {
    newest += 1;
    const number = newest;
    try {
      const file = await readUserFile(chosen);
      if (number !== newest) return;
      explain('');
      store.change({ input: 'own', file, validLens: [] });
      announce(words.own.held(file.name));
    } catch (error) {
      if (number !== newest) return;
      store.change({ input: 'own' });
      const reason = reasonOf(error, stateWords.user.unreadable);
      explain(words.own.failed(cutTo(chosen.name, maxNameLength), reason));
    }
  };
  const file = createFileDrop(dropTarget, {
    label: words.own.file,
    hint: words.own.fileHint,
    accept: fileKinds,
    onFile: (chosen) => void read(chosen),
  });
  const show = (state: KeysState): void => {
    field.show(state.numbers);
    held.textContent = state.file === undefined ? '' : words.own.held(state.file.name);
  };
  store.subscribe(show);
  show(store.state);
  return {
    root: element(
      'div',
      { class: 'controls own-numbers' },
      field.root,
      element('div', { class: 'control' }, file, held, message),
    ),
  };
}
