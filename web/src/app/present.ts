import { switchField } from '../address/field.js';
import { Store } from '../address/store.js';
import { element, setAttributes } from '../ui/dom.js';
import { addressedId, landOn } from './scrolling.js';
import { words as uiWords } from '../ui/words.js';
import { words } from './words.js';

/** `?present=1`: one act fills the screen, in large text, with its controls in a drawer. */
export const present = new Store({ isOn: switchField('present') });

/** What takes the arrow keys for itself. */
const usesArrows =
  'input, select, textarea, summary, [role="grid"], [role="gridcell"], [role="application"], [data-arrows]';

interface Options {
  /** The acts, in order. */
  readonly roots: readonly HTMLElement[];
  /** The number of the act that is read; −1 above the first. */
  readonly current: () => number;
}

/**
 * The button that begins the presentation, and its bar. An act offers its own steps to the arrow keys by buttons with
 * `data-go="previous"` and `data-go="next"`; after its last step comes the next act.
 */
export function createPresent({ roots, current }: Options) {
  const page = document.documentElement;
  const button = element('button.present-button', words.present.start);
  const drawer = element('button', uiWords.controls.label);
  const leave = element('button', words.present.leave);
  const bar = element(
    'div.present-bar',
    { role: 'toolbar', 'aria-label': words.present.label },
    drawer,
    leave,
  );
  let at = 0;
  /** Whether the reader has been on the page: an address leads to its act. */
  let wasStarted = false;

  const openDrawer = (isOpen: boolean): void => {
    setAttributes(page, { 'data-drawer': isOpen });
    setAttributes(drawer, { 'aria-expanded': String(isOpen) });
  };
  const isShown = (root: HTMLElement): boolean => !root.hasAttribute('data-hidden');
  const show = (number: number): void => {
    at = number;
    roots.forEach((root, i) => setAttributes(root, { 'data-presented': i === at }));
    landOn(() => roots[at]);
  };
  const go = (by: -1 | 1): void => {
    const step = roots[at].querySelector<HTMLElement>(
      `[data-go="${by < 0 ? 'previous' : 'next'}"]:not([aria-disabled="true"])`,
    );
    if (step) {
      step.click();
      return;
    }
    const ahead = [...roots.keys()].filter((i) => Math.sign(i - at) === by && isShown(roots[i]));
    const next = by < 0 ? ahead.at(-1) : ahead.at(0);
    if (next !== undefined) show(next);
  };
  const follow = (): void => {
    const { isOn } = present.state;
    const wasOn = page.hasAttribute('data-present');
    if (isOn === wasOn) return;
    const act = roots.at(at);
    if (isOn) {
      const named = roots.findIndex(({ id }) => id === addressedId());
      at = Math.max(wasStarted ? current() : named, roots.findIndex(isShown), 0);
    }
    wasStarted = true;
    setAttributes(page, { 'data-present': isOn });
    openDrawer(false);
    if (isOn) show(at);
    else landOn(() => act);
  };

  button.addEventListener('click', () => {
    present.change({ isOn: true });
    // Not everywhere, and not for every page: the window is used as it is then.
    if (document.fullscreenEnabled) page.requestFullscreen().catch(() => undefined);
  });
  leave.addEventListener('click', () => {
    present.change({ isOn: false });
    if (document.fullscreenElement) void document.exitFullscreen();
  });
  drawer.addEventListener('click', () => openDrawer(!page.hasAttribute('data-drawer')));
  document.addEventListener('fullscreenchange', () => {
    // Browsers keep Escape for themselves there.
    if (!document.fullscreenElement) present.change({ isOn: false });
  });
  document.addEventListener('keydown', (event) => {
    if (!present.state.isOn || event.defaultPrevented) return;
    const { key, target } = event;
    if (key === 'Escape') {
      present.change({ isOn: false });
      return;
    }
    const by = { ArrowLeft: -1, PageUp: -1, ArrowRight: 1, PageDown: 1 }[key] as -1 | 1 | undefined;
    if (by === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    if (target instanceof Element && target.closest(usesArrows) !== null) return;
    event.preventDefault();
    go(by);
  });
  present.subscribe(follow);
  window.addEventListener('load', () => {
    wasStarted = true;
  });
  return { button, bar };
}
