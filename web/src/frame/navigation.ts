import { element, setAttributes } from '../dom.js';
import { text } from '../text/index.js';
import { currentAct } from './current-act.js';

/**
 * Links to the acts; the one under the reader's eyes is told as current, and one
 * that is not shown has no link.
 */
export function createNavigation(acts: readonly HTMLElement[]): HTMLElement {
  const links = acts.map((act) => element('a', { href: `#${act.id}` }, ...nameOf(act)));
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

/** The number of an act, as its heading has it, and its short name. */
function nameOf(act: HTMLElement): Node[] {
  const names: Readonly<Partial<Record<string, string>>> = text.frame.acts;
  const number = act.querySelector('h2 .part-number')?.cloneNode(true);
  const name = new Text(names[act.id] ?? act.id);
  return number === undefined ? [name] : [number, name];
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
