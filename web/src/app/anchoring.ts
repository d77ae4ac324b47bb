/**
 * Scroll anchoring (https://drafts.csswg.org/css-scroll-anchoring/) where browsers have none: what comes in above the
 * window does not move what is in it.
 */
import { currentAct } from './current-act.js';

export const hasAnchoring = (): boolean => CSS.supports('overflow-anchor', 'auto');

/** Changes a place, which may lie above the window. */
export function keepInView(place: Element, change: () => void): void {
  const { bottom } = place.getBoundingClientRect();
  change();
  if (bottom > 0 || hasAnchoring()) return;
  window.scrollBy(0, place.getBoundingClientRect().bottom - bottom);
}

/** From then on the act that is read stays in its place, whatever grows above it. Of the page's acts, in order. */
export function anchorActs(acts: readonly HTMLElement[]): void {
  if (hasAnchoring()) return;
  /** From the top of the window: a browser may have made up for a part of it. Of an act that is not shown, Infinity. */
  const measure = (): number[] =>
    acts.map((act) =>
      act.getClientRects().length > 0 ? act.getBoundingClientRect().top : Infinity,
    );
  let tops = measure();
  const follow = (): void => {
    tops = measure();
  };
  // Whoever scrolls means the page as it is then.
  window.addEventListener('scroll', follow, { passive: true });
  new ResizeObserver(() => {
    const anchor = currentAct(tops, window.innerHeight, Infinity);
    const moved = anchor < 0 ? 0 : measure()[anchor] - tops[anchor];
    // At the top of the page nothing is above the window.
    if (window.scrollY > 0 && Number.isFinite(moved)) window.scrollBy(0, moved);
    follow();
  }).observe(document.body);
}
