import { currentAct } from './current-act.js';

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
  /** From the top of the page; of an act that is not shown, Infinity. */
  const measure = (): number[] =>
    acts.map((act) =>
      act.getClientRects().length > 0 ? act.getBoundingClientRect().top + window.scrollY : Infinity,
    );
  let tops = measure();
  let height = page.scrollHeight;
  let scrolled = window.scrollY;
  window.addEventListener(
    'scroll',
    () => {
      const { scrollY, innerHeight } = window;
      // A page that has become shorter pushes its reader up, who has not scrolled.
      const isPushed = page.scrollHeight < height && scrollY + innerHeight >= page.scrollHeight - 1;
      if (isPushed) return;
      // Where a jump leads was found in the page as it is.
      if (Math.abs(scrollY - scrolled) > jump * innerHeight) tops = measure();
      scrolled = scrollY;
    },
    { passive: true },
  );
  new ResizeObserver(() => {
    const before = tops.map((top) => top - scrolled);
    const anchor = currentAct(before, window.innerHeight, Infinity);
    tops = measure();
    height = page.scrollHeight;
    const moved = anchor < 0 ? 0 : tops[anchor] - scrolled - before[anchor];
    // At the top of the page nothing is above the window.
    if (scrolled > 0 && moved !== 0 && Number.isFinite(moved)) window.scrollTo(0, scrolled + moved);
    scrolled = window.scrollY;
  }).observe(document.body);
}
