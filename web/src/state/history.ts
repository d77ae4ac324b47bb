import { hideFrom } from './hidden.js';
import type { Addressed } from './store.js';

/** An act as the address sees it. */
export interface AddressedAct {
  readonly store: Addressed;
  /** Says what of the address could not be taken as it was. */
  readonly showNotices: (sentences: readonly string[]) => void;
}

/** Reads the address into the stores, and keeps the two in step from then on, in both directions. */
export function connectHistory(
  acts: readonly AddressedAct[],
  showNotices: AddressedAct['showNotices'],
): void {
  const read = (): void => {
    const parameters = new URLSearchParams(window.location.search);
    showNotices(hideFrom(parameters));
    for (const { store, showNotices } of acts) showNotices(store.readFrom(parameters));
  };
  for (const { store, showNotices } of acts) {
    store.subscribe((_state, origin) => {
      if (origin === 'address') return;
      const { pathname, search, hash } = window.location;
      const address = pathname + queryWith(acts, search) + hash;
      if (origin === 'more') window.history.replaceState(null, '', address);
      else window.history.pushState(null, '', address);
      showNotices([]);
    });
  }
  window.addEventListener('popstate', read);
  read();
}

/** The query for what all stores hold, with whatever else the present one has. */
function queryWith(acts: readonly AddressedAct[], present: string): string {
  const parameters = new URLSearchParams(present);
  for (const { store } of acts) store.writeTo(parameters);
  // A comma may stand in a query as it is, and an address that reads well is shared more gladly.
  const query = parameters.toString().replaceAll('%2C', ',');
  return query === '' ? '' : `?${query}`;
}
