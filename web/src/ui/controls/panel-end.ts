import { hideable } from '../../address/hideable.js';
import { momentQuery } from '../../address/history.js';
import type { Store } from '../../address/store.js';
import { element, setAttributes } from '../dom.js';
import { announce } from '../live-region.js';
import { createSaveMenu, type Savable } from '../export/save-menu.js';
import { words } from '../words.js';

/** What an act's controls end with: its figures to save, a link to what it shows, and a way back to where it began. */
export function createPanelEnd<State extends object>(
  store: Store<State>,
  act: string,
  figures: readonly Savable[],
): HTMLElement {
  const reset = element('button.reset', words.controls.reset);
  reset.addEventListener('click', () => store.reset());
  store.follow(() => {
    // Not `disabled`: that would take the focus away from whoever has just pressed it.
    setAttributes(reset, { 'aria-disabled': store.isInitial ? 'true' : undefined });
  });
  const status = element('p.export-status.soft.small');
  const say = (...content: readonly (Node | string)[]): void => {
    status.replaceChildren(...content);
    announce(status.textContent);
  };
  return element(
    'div.panel-end',
    createSaveMenu(figures, say),
    createCopyLink(act, say),
    hideable('reset', element('div', reset)),
    status,
  );
}

/** A button that copies the address of an act as it is now. */
function createCopyLink(
  act: string,
  say: (...content: readonly (Node | string)[]) => void,
): HTMLElement {
  const button = element('button', words.exports.copyLink);
  button.addEventListener('click', () => {
    // The act's own document, which has its title and its picture; the server of a development build has none.
    const address = new URL(import.meta.env.PROD ? `${act}.html` : '', window.location.href);
    address.search = momentQuery(act);
    address.hash = act;
    copy(address.href).then(
      () => say(words.exports.copied),
      () => {
        const field = element('input.link-field', {
          type: 'text',
          readonly: true,
          'aria-label': words.exports.linkLabel,
        });
        field.value = address.href;
        say(words.exports.notCopied, ' ', field);
        field.select();
      },
    );
  });
  return hideable('link', element('div.copy-link', button));
}

/** Rejects where there is no clipboard, too: pages that are not secure have none. */
async function copy(address: string): Promise<void> {
  const { clipboard } = navigator as Partial<Navigator>;
  if (clipboard === undefined) throw new Error('no clipboard');
  await clipboard.writeText(address);
}
