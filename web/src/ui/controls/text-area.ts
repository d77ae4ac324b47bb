import type { Origin } from '../../address/store.js';
import { element, newId, originsOf, setAttributes } from '../dom.js';
import { say as sayIn } from '../live-region.js';
import { reasonOf } from '../notices.js';
import { words } from '../words.js';

interface Options {
  readonly label: string;
  readonly hint: string;
  readonly rows: number;
  /**
   * It also limits the length: `maxlength` would truncate silently.
   *
   * @throws Error that says what was expected; the field then explains it
   */
  readonly onWrite: (written: string, origin: () => Origin) => void;
}

/** Some lines to write or to paste. What cannot be taken is explained, and nothing else changes. */
export function createTextArea(options: Options) {
  const id = newId('written');
  const hintId = newId('hint');
  const messageId = newId('message');
  const area = element('textarea', {
    id,
    rows: options.rows,
    spellcheck: 'false',
    autocomplete: 'off',
    'aria-describedby': `${hintId} ${messageId}`,
  });
  const origin = originsOf(area);
  const message = element('p.control-hint', { id: messageId });
  let isWrong = false;
  let taken = '';
  const say = (sentence: string, isError: boolean): void => {
    isWrong = isError;
    sayIn(message, sentence);
    setAttributes(area, { 'aria-invalid': isWrong ? 'true' : undefined });
  };
  area.addEventListener('input', () => {
    try {
      options.onWrite(area.value, origin);
      say('', false);
    } catch (error) {
      say(reasonOf(error, words.failure.notTaken), true);
    }
  });
  area.addEventListener('change', () => {
    if (!isWrong) area.value = taken;
  });
  return {
    root: element(
      'div.control.written',
      element('label.control-label', { for: id }, options.label),
      area,
      element('p.note', { id: hintId }, options.hint),
      message,
    ),
    show(written: string): void {
      taken = written;
      // What is being written stays as it is, even where it says the same in other words.
      if (document.activeElement === area || area.value === written) return;
      area.value = written;
      if (isWrong) say('', false);
    },
  };
}
