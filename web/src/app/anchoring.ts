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
