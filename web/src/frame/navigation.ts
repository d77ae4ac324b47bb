import { element, setAttributes } from '../dom.js';
import { text } from '../text/index.js';
import { currentAct } from './current-act.js';

/**
 * Links to the acts by their headings; the one under the reader's eyes is told as current, and one
 * that is not shown has no link.
 */
export function createNavigation(acts: readonly HTMLElement[]): HTMLElement {
  const links = acts.map((act) => element('a', { href: `#${act.id}` }, ...headingOf(act)));
  const items = links.map((link) => element('li', {}, link));
  const root = element(
    'nav',
    { class: 'navigation', 'aria-label': text.frame.navigation },
    element(
      'div',
      { class: 'page navigation-row' },
      element('p', { class: 'site-name' }, text.header.name),
      element('ol', { class: 'act-links' }, ...items),
    ),
  );

  const tell = (): void => {
    const shown = acts.map((act) => act.getClientRects().length > 0);
    const tops = acts.map((act, index) =>
      shown[index] ? act.getBoundingClientRect().top : Infinity,
    );
    const { scrollHeight } = document.documentElement;
    const below = scrollHeight - window.innerHeight - window.scrollY;
    const current = currentAct(tops, window.innerHeight, below);
    links.forEach((link, index) => {
      setAttributes(items[index], { hidden: !shown[index] });
      setAttributes(link, { 'aria-current': index === current ? 'location' : undefined });
    });
  };
  tellOncePerFrame(tell);
  return root;
}

/** The number and the title of an act, as its heading has them. */
function headingOf(act: HTMLElement): Node[] {
  const heading = act.querySelector('h2');
  return heading === null ? [] : [...heading.cloneNode(true).childNodes];
}

/** Calls when the reader scrolls, or what is laid out changes its height. */
function tellOncePerFrame(tell: () => void): void {
  let asked = false;
  const ask = (): void => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      tell();
    });
  };
  window.addEventListener('scroll', ask, { passive: true });
  new ResizeObserver(ask).observe(document.body);
}
