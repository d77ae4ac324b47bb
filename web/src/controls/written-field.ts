import { element, newId, setAttributes } from '../dom.js';
import type { Origin } from '../state/store.js';

export interface WrittenField {
  readonly root: HTMLElement;
  show(written: string): void;
  /** Says what is wrong with what was written, or nothing. */
  explain(message: string): void;
}

interface Options {
  readonly label: string;
  readonly hint: string;
  readonly rows: number;
  readonly maxLength: number;
  /** @throws Error that says what was expected; the field then explains it */
  readonly onWrite: (written: string, origin: Origin) => void;
}

/** Some lines to write or to paste. What cannot be taken is explained, and nothing else changes. */
export function createWrittenField(options: Options): WrittenField {
  const id = newId('written');
  const hintId = newId('hint');
  const area = element('textarea', {
    id,
    rows: options.rows,
    maxlength: options.maxLength,
    spellcheck: 'false',
    autocomplete: 'off',
    'aria-describedby': hintId,
  });
  const message = element('p', { class: 'control-hint', role: 'status' });
  // What is written in one go is one step back in the history.
  let writing = false;
  const explain = (words: string): void => {
    message.textContent = words;
    setAttributes(area, { 'aria-invalid': words === '' ? undefined : 'true' });
  };
  area.addEventListener('input', () => {
    try {
      options.onWrite(area.value, writing ? 'more' : 'step');
      writing = true;
      explain('');
    } catch (error) {
      explain(error instanceof Error ? error.message : String(error));
    }
  });
  area.addEventListener('change', () => {
    writing = false;
  });
  return {
    root: element(
      'div',
      { class: 'control written' },
      element('label', { for: id, class: 'control-label' }, options.label),
      area,
      element('p', { id: hintId, class: 'note' }, options.hint),
      message,
    ),
    show(written) {
      // What is being written stays as it is, even where it says the same in other words.
      if (document.activeElement !== area && area.value !== written) area.value = written;
    },
    explain,
  };
}
