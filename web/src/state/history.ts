import { readQuery, writeQuery } from './address.js';
import type { ViewStore } from './view-store.js';

/** Keeps the browser's address and the store in step, in both directions. */
export function connectHistory(
  store: ViewStore,
  showCorrections: (corrections: readonly string[]) => void,
): void {
  store.subscribe((state, origin) => {
    if (origin === 'address') return;
    const { pathname, search, hash } = window.location;
    const address = pathname + writeQuery(state, search) + hash;
    if (origin === 'more') window.history.replaceState(null, '', address);
    else window.history.pushState(null, '', address);
    showCorrections([]);
  });
  window.addEventListener('popstate', () => {
    const { state, corrections } = readQuery(window.location.search);
    store.change(state, 'address');
    showCorrections(corrections);
  });
}
