import { type ActLink, followLink, hrefOf } from '../address/history.js';
import { element } from './dom.js';

/** A link to a state of an act. It is followed within the page, unless the reader asks for another tab. */
export function createActLink(link: ActLink, name: string): HTMLAnchorElement {
  const anchor = element('a', { href: hrefOf(link) }, name);
  // What else the page shows, and a new tab is to show, may have changed since.
  const update = (): void => {
    anchor.href = hrefOf(link);
  };
  anchor.addEventListener('pointerenter', update);
  anchor.addEventListener('focus', update);
  anchor.addEventListener('click', (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    followLink(link);
  });
  return anchor;
}
