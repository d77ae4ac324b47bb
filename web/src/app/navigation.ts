import { element, setAttributes } from '../ui/dom.js';
import { oncePerFrame } from '../ui/frames.js';
import {
  addressedId,
  anchorActs,
  currentAct,
  focusAct,
  hasAnchoring,
  keepLanding,
  landOn,
} from './scrolling.js';
import type { PlacedAct } from './page.js';
import { createPresent } from './present.js';
import { words } from './words.js';

type NamedAct = Pick<PlacedAct, 'root' | 'short'>;

/**
 * Links to the acts; the one being read is marked as current, and one
 * that is not shown has no link.
 */
export function createNavigation(acts: readonly NamedAct[]): HTMLElement[] {
  const roots = acts.map(({ root }) => root);
  const links = acts.map((act) => element('a', { href: `#${act.root.id}` }, ...nameOf(act)));
  const items = links.map((link) => element('li', link));
  let current = -1;
  const present = createPresent({ roots, current: () => current });
  const root = element(
    'nav.navigation',
    { 'aria-label': words.navigation },
    element(
      'div.page.navigation-row',
      element('p.site-name', 'headwise'),
      element('ol.act-links', ...items),
      present.button,
    ),
  );

  const update = (): void => {
    const shown = roots.map((act) => act.getClientRects().length > 0);
    const tops = roots.map((act, index) =>
      shown[index] ? act.getBoundingClientRect().top : Infinity,
    );
    const { scrollHeight } = document.documentElement;
    const below = scrollHeight - window.innerHeight - window.scrollY;
    current = currentAct(tops, window.innerHeight, below);
    links.forEach((link, index) => {
      setAttributes(items[index], { hidden: !shown[index] });
      setAttributes(link, { 'aria-current': index === current ? 'location' : undefined });
    });
  };
  const updateSoon = oncePerFrame(update);
  window.addEventListener('scroll', updateSoon, { passive: true });
  // What is laid out changes its height.
  new ResizeObserver(updateSoon).observe(document.body);
  return [root, present.bar];
}

/** The number of an act, as its heading has it, and its short name. */
function nameOf({ root, short }: NamedAct): Node[] {
  const number = root.querySelector('h2 .act-number')?.cloneNode(true);
  const name = new Text(short);
  return number === undefined ? [name] : [number, name];
}

/**
 * Puts the way into the page around what is laid out: a link that skips to the acts, and their
 * navigation. The function that comes back is called once the acts have their content.
 */
export function addFrame(acts: readonly NamedAct[]): () => void {
  const main = document.querySelector('main');
  if (main === null) throw new Error('the page has no main element');
  main.id = 'acts';
  main.tabIndex = -1;
  main.setAttribute('aria-busy', 'true');
  document.body.prepend(
    element('a.skip-link', { href: '#acts' }, words.skip),
    ...createNavigation(acts),
  );
  return () => {
    main.removeAttribute('aria-busy');
    performance.mark('interactive');
    keepLanding();
    goToAddress();
    anchorActs(acts.map(({ root }) => root));
  };
}

/** Brings the act into view that the address names, if it names one. */
function goToAddress(): void {
  const act = document.getElementById(addressedId());
  if (act === null) return;
  landOn(() => act);
  // Where the scrolling of browsers leaves it out, Tab would begin at the top of the page.
  if (!hasAnchoring() && document.activeElement === document.body) focusAct(act);
}
