import { element, setAttributes } from '../dom.js';
import { createCopyLink } from '../export/copy-link.js';
import { hideable } from '../state/hidden.js';
import type { Store } from '../state/store.js';
import { text } from '../text/index.js';

interface Options {
  /** The act's id, for its link. */
  readonly act: string;
  readonly label: string;
  readonly controls: readonly HTMLElement[];
}

/** The controls of an act, with a link to what they hold and a way back to where they began. */
export function createActPanel<State extends object>(
  store: Store<State>,
  { act, label, controls }: Options,
): HTMLElement {
  const reset = element('button', { type: 'button', class: 'reset' }, text.controls.reset);
  reset.addEventListener('click', () => {
    store.reset();
  });
  const show = (): void => {
    // Not `disabled`: that would take the focus away from whoever has just pressed it.
    setAttributes(reset, { 'aria-disabled': store.isInitial ? 'true' : undefined });
  };
  store.subscribe(show);
  show();
  return element(
    'div',
    { class: 'panel', role: 'group', 'aria-label': label },
    hideable('controls', element('div', { class: 'controls' }, ...controls)),
    element(
      'div',
      { class: 'panel-end' },
      createCopyLink(act),
      hideable('reset', element('div', {}, reset)),
    ),
  );
}
