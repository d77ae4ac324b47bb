/**
 * A link leads to a place on a page that still grows above it, because acts load when they are near. So the page scrolls
 * again until the reader takes over.
 */
let find: (() => Element | null | undefined) | undefined;

const bring = (): void => find?.()?.scrollIntoView({ behavior: 'instant' });

/** Brings a place into view, and keeps it there until the reader scrolls, presses a key or points at something. */
export function landOn(place: NonNullable<typeof find>): void {
  find = place;
  bring();
}

/** To be called once, when the page is laid out. */
export function keepLanding(): void {
  const stop = (): void => {
    find = undefined;
  };
  for (const type of ['wheel', 'touchstart', 'pointerdown', 'keydown']) {
    window.addEventListener(type, stop, { capture: true, passive: true });
  }
  // Back and forward lead elsewhere; a link comes to its own place.
  window.addEventListener('popstate', () => {
    if (!document.getElementById(addressedId())?.contains(find?.() ?? null)) stop();
  });
  new ResizeObserver(bring).observe(document.body);
  document.addEventListener('click', ({ target }) => {
    const hash = target instanceof Element ? target.closest('a')?.getAttribute('href') : undefined;
    if (!hash?.startsWith('#')) return;
    const place = document.getElementById(hash.slice(1));
    // After the browser has followed the link.
    if (place !== null) window.requestAnimationFrame(() => landOn(() => place));
  });
}

/** Has Tab go on from the top of an act. */
export function focusAct(section: HTMLElement): void {
  // Not for longer: WebKit gives the focus, late, to what the address of a page names and can have it.
  section.tabIndex = -1;
  section.focus({ preventScroll: true });
  section.addEventListener('blur', () => section.removeAttribute('tabindex'), { once: true });
}

/**
 * The id that the address names, or else the act that the document is of; empty for none. Percent escapes that are none
 * stay as they are.
 */
export function addressedId(): string {
  const fragment = window.location.hash.slice(1) || (document.documentElement.dataset.act ?? '');
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

export const hasAnchoring = (): boolean => CSS.supports('overflow-anchor', 'auto');

/** Scrolling further than this part of the window at once is a jump, of a link or of the history. */
const jump = 0.5;

/**
 * Keeps the act that is read in its place, whatever comes in or grows above it, where browsers have no scroll anchoring
 * (https://drafts.csswg.org/css-scroll-anchoring/). Of the page's acts, in order.
 */
export function anchorActs(acts: readonly HTMLElement[]): void {
  if (hasAnchoring()) return;
  const page = document.documentElement;
  /** From the top of the window, where WebKit may have made up for a part of it; of an act that is not shown, Infinity. */
  const measure = (): number[] =>
    acts.map((act) =>
      act.getClientRects().length > 0 ? act.getBoundingClientRect().top : Infinity,
    );
  let tops: readonly number[] = [];
  let height = 0;
  let scrolled = 0;
  const follow = (): void => {
    tops = measure();
    height = page.scrollHeight;
    scrolled = window.scrollY;
  };
  follow();
  window.addEventListener(
    'scroll',
    () => {
      const { scrollY, innerHeight } = window;
      if (scrollY === scrolled) return;
      const { scrollHeight } = page;
      // A page that has become shorter pushes its reader up, who has not scrolled.
      const isPushed = scrollHeight < height && scrollY + innerHeight >= scrollHeight - 1;
      const isJump = !isPushed && Math.abs(scrollY - scrolled) > jump * innerHeight;
      // Where a jump leads was found in the page as it is. All else within a frame of changes is made up for below.
      if (scrollHeight === height || isJump) follow();
    },
    { passive: true },
  );
  new ResizeObserver(() => {
    const anchor = currentAct(tops, window.innerHeight, Infinity);
    const now = measure();
    const moved = anchor < 0 ? 0 : now[anchor] - tops[anchor];
    const from = window.scrollY;
    // At the top of the page nothing is above the window.
    if (scrolled > 0 && Number.isFinite(moved)) window.scrollBy(0, moved);
    scrolled = window.scrollY;
    // Not measured again: what other observers change meanwhile is for the next time.
    tops = now.map((top) => top - (scrolled - from));
    height = page.scrollHeight;
  }).observe(document.body);
}

/** Where the reader's eyes are taken to be, from the top of the window. */
const lineOfSight = 0.4;

/**
 * The act that is read: the last one that begins above the line of sight; at the end of the page
 * the last one that is in the window at all, which may be too short to come up to that line.
 *
 * @param tops of the acts, from the top of the window; of one that is not shown, Infinity
 * @param height of the window
 * @param below how much of the page there is below the window
 * @returns the number of the act, -1 above the first one
 */
export function currentAct(tops: readonly number[], height: number, below: number): number {
  const line = below <= 1 ? height : lineOfSight * height;
  return tops.reduce((last, top, number) => (top <= line ? number : last), -1);
}
