import { element } from '../dom.js';
import { hideable } from '../state/hidden.js';
import { presentQuery } from '../state/history.js';
import { text } from '../text/index.js';

/** A button that copies the address of an act as it is now. */
export function createCopyLink(act: string): HTMLElement {
  const button = element('button', { type: 'button' }, text.exports.copyLink);
  const status = element('span', { class: 'export-status', role: 'status' });
  button.addEventListener('click', () => {
    const address = new URL(window.location.href);
    address.search = presentQuery();
    address.hash = act;
    copy(address.href).then(
      () => {
        status.textContent = text.exports.copied;
      },
      () => {
        const field = element('input', {
          type: 'text',
          readonly: true,
          class: 'link-field',
          'aria-label': text.exports.linkLabel,
        });
        field.value = address.href;
        status.replaceChildren(text.exports.notCopied, ' ', field);
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
