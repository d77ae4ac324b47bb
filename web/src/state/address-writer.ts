/**
 * Changes of the address that may come at once, and milliseconds until another may: 90 in any 30
 * seconds at most. WebKit throws from the 101st in 30 seconds on; Firefox throws and Chromium looks
 * away after 200 in 10.
 */
const burst = 30;
const pause = 500;

/** Milliseconds until a browser that has refused is asked again. */
const afterRefusal = 1000;

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
    this.#credit = Math.min(burst, this.#credit + (now - this.#creditedAt) / pause);
    this.#creditedAt = now;
    if (this.#credit < 1) {
      this.#tryAfter(pause * (1 - this.#credit));
      return;
    }
    this.#credit -= 1;
    try {
      if (this.#waiting === 'push') window.history.pushState(null, '', this.#addressNow());
      else window.history.replaceState(null, '', this.#addressNow());
      this.#waiting = undefined;
      this.#search = window.location.search;
    } catch {
      this.#tryAfter(afterRefusal);
    }
  }

  #tryAfter(milliseconds: number): void {
    this.#timer = window.setTimeout(() => {
      this.#timer = undefined;
      this.#try();
    }, milliseconds);
  }
}
