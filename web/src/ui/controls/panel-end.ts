import { hideable } from '../../address/hideable.js';
import { presentQuery } from '../../address/history.js';
import type { Store } from '../../address/store.js';
import { element, setAttributes } from '../dom.js';
import { words } from '../words.js';

/** A link to what the controls of an act hold, and a way back to where they began. */
export function createPanelEnd<State extends object>(
  store: Store<State>,
  act: string,
): HTMLElement {
  const reset = element('button', { type: 'button', class: 'reset' }, words.controls.reset);
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
    { class: 'panel-end' },
    createCopyLink(act),
    hideable('reset', element('div', {}, reset)),
  );
}

/** A button that copies the address of an act as it is now. */
export function createCopyLink(act: string): HTMLElement {
  const button = element('button', { type: 'button' }, words.exports.copyLink);
  const status = element('span', { class: 'export-status', role: 'status' });
  button.addEventListener('click', () => {
    const address = new URL(window.location.href);
    address.search = presentQuery();
    address.hash = act;
    copy(address.href).then(
      () => {
        status.textContent = words.exports.copied;
      },
      () => {
        const field = element('input', {
          type: 'text',
          readonly: true,
          class: 'link-field',
          'aria-label': words.exports.linkLabel,
        });
        field.value = address.href;
        status.replaceChildren(words.exports.notCopied, ' ', field);
        field.select();
      },
    );
  });
  return hideable('link', element('div', { class: 'copy-link' }, button, status));
}

/** Rejects where there is no clipboard, too: pages that are not secure have none. */
async function copy(address: string): Promise<void> {
  const { clipboard } = navigator as Partial<Navigator>;
  if (clipboard === undefined) throw new Error('no clipboard');
  await clipboard.writeText(address);
}
