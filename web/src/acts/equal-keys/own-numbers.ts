import type { Store } from '../../address/store.js';
import { cutTo } from '../../format/sentences.js';
import { element, labelled, newId, originsOf, setAttributes } from '../../ui/dom.js';
import { announce, say } from '../../ui/live-region.js';
import { reasonOf } from '../../ui/notices.js';
import { readUserFile } from './inputs.js';
import { type KeysState, maxNumbersLength } from './state.js';
import { dataWords, maxNameLength, readNumbers, userLimits } from './user-data.js';
import { words } from './words.js';

/** A field and a file for the reader's own numbers; files can be dropped anywhere on `dropTarget`. */
export function createOwnNumbers(store: Store<KeysState>, dropTarget: HTMLElement): HTMLElement {
  const [hintId, messageId] = ['hint', 'message'].map(newId);
  const area = element('textarea', {
    ...{ rows: 4, spellcheck: 'false', autocomplete: 'off' },
    'aria-describedby': `${hintId} ${messageId}`,
  });
  const accept = '.npy,.safetensors,.json,.csv,.txt';
  const input = element('input.file-input', { type: 'file', accept });
  const message = element('p.control-hint', { id: messageId });
  const fileMessage = element('p.control-hint');
  const held = element('p.note');
  /** Grows with every input: a file that takes long to read must not replace a later one. */
  let newest = 0;
  const explain = (sentence: string): void => {
    say(message, sentence);
    setAttributes(area, { 'aria-invalid': sentence === '' ? undefined : 'true' });
  };
  const explainFile = (sentence: string): void => {
    say(fileMessage, sentence);
    setAttributes(fileMessage, { 'data-wrong': sentence !== '' });
  };

  const origin = originsOf(area);
  area.addEventListener('input', () => {
    const { value: written } = area;
    try {
      // Not by `maxlength`, which would truncate silently.
      if (written.length > maxNumbersLength) {
        throw new Error(words.own.tooLong(written.length, maxNumbersLength));
      }
      readNumbers(written);
    } catch (error) {
      explain(reasonOf(error, dataWords.user.unreadable));
      return;
    }
    newest += 1;
    explain('');
    explainFile('');
    store.change({ numbers: written, file: undefined, validLen: undefined }, origin());
  });
  area.addEventListener('change', () => {
    if (message.textContent === '') area.value = store.state.numbers;
  });

  async function read(chosen: File | undefined): Promise<void> {
    if (chosen === undefined) return;
    newest += 1;
    const number = newest;
    try {
      const file = await readUserFile(chosen);
      if (number !== newest) return;
      explainFile('');
      store.change({ input: 'own', file, validLen: undefined });
      announce(words.own.held(file.name));
    } catch (error) {
      if (number !== newest) return;
      store.change({ input: 'own' });
      const reason = reasonOf(error, dataWords.user.unreadable);
      explainFile(words.own.failed(cutTo(chosen.name, maxNameLength), reason));
    }
  }
  input.addEventListener('change', () => {
    void read(input.files?.[0]);
    // Choosing the same file again, mended meanwhile, is a change too.
    input.value = '';
  });
  for (const type of ['dragover', 'dragleave', 'drop'] as const) {
    dropTarget.addEventListener(type, (event) => {
      const hasFiles = event.dataTransfer?.types.includes('Files') ?? false;
      dropTarget.toggleAttribute('data-drop', type === 'dragover' && hasFiles);
      if (!hasFiles || type === 'dragleave') return;
      event.preventDefault();
      if (type === 'drop') void read(event.dataTransfer?.files[0]);
    });
  }

  store.follow(({ numbers, file }) => {
    held.textContent = file === undefined ? '' : words.own.held(file.name);
    // What is being written stays as it is, even where it says the same in other words.
    if (document.activeElement === area || area.value === numbers) return;
    area.value = numbers;
    if (message.textContent !== '') explain('');
  });
  const hint = element('p.note', { id: hintId }, words.own.hint(userLimits.length));
  const fileHint = element('p.note', words.own.fileHint);
  const written = labelled(words.own.pasted, area, area, hint, message);
  written.classList.add('written');
  return element(
    'div.controls.own-numbers',
    written,
    element('div.control', labelled(words.own.file, input, input, fileHint), held, fileMessage),
  );
}
