import { hideFrom } from './hideable.js';
import type { Addressed } from './store.js';

/**
 * Changes of the address that may come at once, and milliseconds until another may: 90 in any 30
 * seconds at most. WebKit throws from the 101st in 30 seconds on; Firefox throws and Chromium looks
 * away after 200 in 10.
 */
const burst = 30;
const pauseMs = 500;

/** Milliseconds until a browser that has refused is asked again. */
const retryMs = 1000;

/**
 * Writes the page's address as often as browsers allow it. What may not be written yet waits, and
 * what comes meanwhile is written with it, in one.
 */
export class AddressWriter {
  readonly #addressNow: () => string;
  #waiting: 'push' | 'replace' | undefined;
  /** The query of the address when it was last written or gone to. */
  #search = window.location.search;
  #timer: number | undefined;
  #credit = burst;
  #creditedAt = performance.now();

  /** @param addressNow what is to be written, asked when it is */
  constructor(addressNow: () => string) {
    this.#addressNow = addressNow;
  }

  /** Writes, or will: as a step of the history, or in place of the present one. */
  write(isStep: boolean): void {
    this.#waiting = isStep || this.#waiting === 'push' ? 'push' : 'replace';
    if (this.#timer === undefined) this.#try();
  }

  /**
   * The browser has gone to another place of its history. Answers whether the address is to be read:
   * a link within the page leaves the query as it was, and what waits comes to the new place.
   */
  goneElsewhere(): boolean {
    const { search } = window.location;
    const isWithin = this.#waiting !== undefined && search === this.#search;
    this.#search = search;
    if (isWithin) return false;
    this.#waiting = undefined;
    window.clearTimeout(this.#timer);
    this.#timer = undefined;
    return true;
  }

  #try(): void {
    const now = performance.now();
    this.#credit = Math.min(burst, this.#credit + (now - this.#creditedAt) / pauseMs);
    this.#creditedAt = now;
    if (this.#credit < 1) {
      this.#tryAfter(pauseMs * (1 - this.#credit));
      return;
    }
    this.#credit -= 1;
    try {
      const address = this.#addressNow();
      const { pathname, search, hash } = window.location;
      // A change that the address does not show, such as another file of the same name, adds no entry.
      if (address !== pathname + search + hash) {
        if (this.#waiting === 'push') window.history.pushState(null, '', address);
        else window.history.replaceState(null, '', address);
      }
      this.#waiting = undefined;
      this.#search = window.location.search;
    } catch {
      this.#tryAfter(retryMs);
    }
  }

  #tryAfter(milliseconds: number): void {
    this.#timer = window.setTimeout(() => {
      this.#timer = undefined;
      this.#try();
    }, milliseconds);
  }
}

/** An act as the address sees it. */
export interface AddressedAct {
  /** Of an act; the reader's sentence has none. */
  readonly id?: string;
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
  const hidden = hideFrom(
    parameters,
    acts.flatMap(({ id }) => id ?? []),
  );
  // The page and a store, or two stores, may share a place for notices.
  const corrections = new Map([[showNotices, [...hidden]]]);
  for (const { store, showNotices } of acts) {
    const before = corrections.get(showNotices) ?? [];
    corrections.set(showNotices, [...before, ...store.readFrom(parameters)]);
  }
  for (const [show, sentences] of corrections) show(sentences);
}

/**
 * Keeps stores and address in step from then on, in both directions. To be called once all else
 * listens to the stores: the address is the last to follow.
 */
export function followAddress(
  acts: readonly AddressedAct[],
  showNotices: AddressedAct['showNotices'],
): void {
  const follower = new AddressWriter(() => {
    const { pathname, hash } = window.location;
    return pathname + presentQuery() + hash;
  });
  for (const { store, showNotices } of acts) {
    store.subscribe((_state, origin) => {
      if (origin === 'popstate') return;
      showNotices([]);
      follower.write(origin === 'push');
    });
  }
  window.addEventListener('popstate', () => {
    if (follower.goneElsewhere()) readAddress(acts, showNotices);
  });
}

/**
 * The query for what all stores hold, with whatever else the address has. The address itself may be
 * behind.
 */
export const presentQuery = (): string => written(presentParameters());

/** The same for a link to this moment of an act, of all acts if none is named: runs are as far as they are now. */
export function momentQuery(act?: string): string {
  const parameters = presentParameters();
  for (const { id, store } of addressed) {
    if (act === undefined || act === id) store.writeTo(parameters, true);
  }
  return written(parameters);
}

function presentParameters(): URLSearchParams {
  const parameters = new URLSearchParams(window.location.search);
  for (const { store } of addressed) store.writeTo(parameters);
  return parameters;
}

/** A comma may stand in a query as it is, and an address that reads well is shared more gladly. */
function written(parameters: URLSearchParams): string {
  const query = parameters.toString().replaceAll('%2C', ',');
  return query === '' ? '' : `?${query}`;
}
