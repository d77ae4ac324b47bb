import { element } from '../dom.js';
import { text } from '../text/index.js';
import { addressedId } from './addressed-id.js';
import { keepOffline } from './offline.js';
import { createNavigation } from './navigation.js';

/**
 * Puts the way into the page around what is laid out: a link that skips to the acts, and their
 * navigation. The function that comes back is called once the acts have their content.
 */
export function addFrame(): () => void {
  const main = document.querySelector('main');
  if (main === null) throw new Error('the page has no main element');
  const acts = [...main.querySelectorAll<HTMLElement>(':scope > section[id]')];
  main.id = 'acts';
  main.tabIndex = -1;
  main.setAttribute('aria-busy', 'true');
  document.body.prepend(
    element('a', { class: 'skip-link', href: '#acts' }, text.frame.skip),
    createNavigation(acts),
  );
  return () => {
    main.removeAttribute('aria-busy');
    performance.mark('interactive');
    goToAddress();
    keepOffline();
  };
}

/** What came in above has moved the act that the address names, if it names one. */
function goToAddress(): void {
  const id = addressedId();
  if (id !== '') document.getElementById(id)?.scrollIntoView();
}
