import { AddressWriter } from './address-writer.js';
import { hideFrom } from './hidden.js';
import type { Addressed } from './store.js';

/** An act as the address sees it. */
export interface AddressedAct {
  readonly store: Addressed;
  /** Says what of the address could not be taken as it was. */
  readonly showNotices: (sentences: readonly string[]) => void;
}

let addressed: readonly AddressedAct[] = [];

/** Reads the address into the stores. */
export function readAddress(
  acts: readonly AddressedAct[],
  showNotices: AddressedAct['showNotices'],
): void {
  addressed = acts;
  const parameters = new URLSearchParams(window.location.search);
  showNotices(hideFrom(parameters));
  for (const { store, showNotices } of acts) showNotices(store.readFrom(parameters));
}

/**
 * Keeps stores and address in step from then on, in both directions. To be called once all else
 * listens to the stores: the address is the last to follow.
 */
export function followAddress(
  acts: readonly AddressedAct[],
  showNotices: AddressedAct['showNotices'],
): void {
  const writer = new AddressWriter(() => {
    const { pathname, hash } = window.location;
    return pathname + presentQuery() + hash;
  });
  for (const { store, showNotices } of acts) {
    store.subscribe((_state, origin) => {
      if (origin === 'address') return;
      showNotices([]);
      writer.write(origin === 'step');
    });
  }
  window.addEventListener('popstate', () => {
    if (writer.goneElsewhere()) readAddress(acts, showNotices);
  });
}

/**
 * The query for what all stores hold, with whatever else the address has. The address itself may be
 * behind.
 */
export function presentQuery(): string {
  const parameters = new URLSearchParams(window.location.search);
  for (const { store } of addressed) store.writeTo(parameters);
  // A comma may stand in a query as it is, and an address that reads well is shared more gladly.
  const query = parameters.toString().replaceAll('%2C', ',');
  return query === '' ? '' : `?${query}`;
}
