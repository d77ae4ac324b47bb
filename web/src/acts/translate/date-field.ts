import { html, render } from 'lit-html';

import type { Store } from '../../address/store.js';
import { element, newId, setAttributes } from '../../ui/dom.js';
import { say } from '../../ui/live-region.js';
import { maxDateLength, questionOf, readable } from '../../worker/dates.js';
import { type TranslateState, examples } from './state.js';
import { words } from './words.js';

/** A date to type, or one of a few to press. */
export function createDateField(store: Store<TranslateState>): HTMLElement {
  const id = newId('date');
  const hintId = newId('date-hint');
  const input = element('input', {
    id,
    type: 'text',
    class: 'date-input',
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-describedby': hintId,
  });
  const hint = element('p', { id: hintId, class: 'control-hint' });
  const truth = element('p', { class: 'note' });
  const buttons = element('div', {
    class: 'buttons',
    role: 'group',
    'aria-label': words.examples,
  });
  // What is typed in one go is one step back in the history.
  let typing = false;

  input.addEventListener('input', () => {
    // Of pasted text no more is looked at than could be used.
    const typed = input.value.slice(0, 4 * maxDateLength);
    const text = readable(typed).trim();
    const isTaken = text === input.value.trim();
    const told = text === '' ? words.textEmpty : isTaken ? '' : words.textKept(text);
    say(hint, told);
    setAttributes(input, { 'aria-invalid': isTaken && text !== '' ? undefined : 'true' });
    if (text === '') return;
    store.change({ text, query: 0 }, typing ? 'replace' : 'push');
    typing = true;
  });
  input.addEventListener('change', () => {
    typing = false;
    hint.textContent = '';
    setAttributes(input, { 'aria-invalid': undefined });
    input.value = store.state.text;
  });

  const show = ({ text }: TranslateState): void => {
    if (document.activeElement !== input) input.value = text;
    truth.textContent = questionOf(text) === undefined ? words.noTruth : '';
    truth.hidden = truth.textContent === '';
    render(
      examples.map(
        (example) =>
          html`<button
            type="button"
            aria-pressed=${example === text}
            @click=${() => {
              store.change({ text: example, query: 0 });
            }}
          >
            ${example}
          </button>`,
      ),
      buttons,
    );
  };
  store.subscribe(show);
  show(store.state);
  return element(
    'div',
    { class: 'control align-date' },
    element('label', { for: id, class: 'control-label' }, words.text),
    element('div', { class: 'align-date-row' }, input, buttons),
    hint,
    truth,
  );
}
