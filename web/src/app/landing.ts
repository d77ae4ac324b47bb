/**
 * A link leads to a place on a page that still grows above it, because acts load when they are near. So the page scrolls
 * again until the reader takes over.
 */
let find: (() => Element | null | undefined) | undefined;

const bring = (): void => {
  find?.()?.scrollIntoView({ behavior: 'instant' });
};

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
    if (place !== null)
      window.requestAnimationFrame(() => {
        landOn(() => place);
      });
  });
}

/** Has Tab go on from the top of an act. */
export function focusAct(section: HTMLElement): void {
  // Not for longer: WebKit gives the focus, late, to what the address of a page names and can have it.
  section.tabIndex = -1;
  section.focus({ preventScroll: true });
  section.addEventListener(
    'blur',
    () => {
      section.removeAttribute('tabindex');
    },
    { once: true },
  );
}

/** The id that the address names; empty for none. Percent escapes that are none stay as they are. */
export function addressedId(): string {
  const fragment = window.location.hash.slice(1);
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
