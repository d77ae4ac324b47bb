import { hideable } from '../../address/hideable.js';
import { element, newId, setAttributes } from '../dom.js';
import { words } from '../words.js';
import { jsonFile, pngFile, saveFile, svgFile } from './files.js';

/** A figure that a reader can save. */
export interface Savable {
  /** In words, `the maps of weights`; the file is called after it. */
  readonly name: string;
  /** The drawing, on the page or composed of drawings on it. */
  readonly figure: () => SVGSVGElement;
  /** What JSON can say, and typed arrays; undefined while there is nothing to save. */
  readonly data: () => unknown;
  /** How it came about, as an animated SVG. */
  readonly loop?: () => SVGSVGElement;
}

const formats = ['svg', 'png', 'json', 'loop'] as const;

const fileMakers = {
  svg: ({ figure }: Savable) => svgFile(figure()),
  png: ({ figure }: Savable) => pngFile(figure()),
  json: ({ data }: Savable) => jsonFile(data()),
  loop: ({ figure, loop = figure }: Savable) => svgFile(loop()),
};

/**
 * A button that lists the figures of an act, each to be saved as SVG or PNG, and its numbers as JSON.
 *
 * @param say told what became of it
 */
export function createSaveMenu(
  figures: readonly Savable[],
  say: (sentence: string) => void,
): HTMLElement {
  const id = newId('save');
  const list = element('ul', { id, class: 'save-list', 'aria-label': words.exports.list });
  const toggle = element(
    'button',
    { type: 'button', class: 'save-toggle', 'aria-controls': id },
    words.exports.intro,
  );
  const root = element('div', { class: 'export' }, toggle, list);

  async function save(savable: Savable, format: (typeof formats)[number]): Promise<void> {
    close();
    toggle.focus();
    const name = savable.name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-');
    const file = `headwise-${name}${format === 'loop' ? '-loop.svg' : `.${format}`}`;
    try {
      saveFile(file, await fileMakers[format](savable));
      say(words.exports.saved(file));
    } catch (error) {
      say(words.exports.failed(error instanceof Error ? error.message : ''));
    }
  }

  function itemOf(savable: Savable): HTMLElement {
    const { name } = savable;
    const isReady = savable.data() !== undefined;
    const offered = formats.filter((format) => format !== 'loop' || savable.loop !== undefined);
    const buttons = offered.map((format) => {
      const button = element(
        'button',
        {
          type: 'button',
          'aria-label': words.exports.formatLabels[format](name),
          'aria-disabled': isReady ? undefined : 'true',
        },
        words.exports.formats[format],
      );
      if (isReady) button.addEventListener('click', () => void save(savable, format));
      return button;
    });
    return element(
      'li',
      {},
      element('p', { class: 'save-name' }, name),
      element('div', { class: 'save-formats' }, ...buttons),
      ...(isReady ? [] : [element('p', { class: 'save-note' }, words.exports.nothingYet)]),
    );
  }

  /** Not within the rail, which would cut it off: above or below the button, where there is room. */
  function place(): void {
    const { left, top, bottom } = toggle.getBoundingClientRect();
    const { clientWidth, clientHeight } = document.documentElement;
    const above = top - 2 * gap;
    const below = clientHeight - bottom - 2 * gap;
    list.style.maxHeight = '';
    const isBelow = list.offsetHeight <= below || below >= above;
    list.style.maxHeight = `${isBelow ? below : above}px`;
    list.style.top = `${isBelow ? bottom + gap : top - gap - list.offsetHeight}px`;
    list.style.left = `${Math.max(gap, Math.min(left, clientWidth - list.offsetWidth - gap))}px`;
  }

  const closeFromOutside = ({ target }: Event): void => {
    if (!(target instanceof Node) || !root.contains(target)) close();
  };
  let isOpen = false;
  function show(isShown: boolean): void {
    isOpen = isShown;
    setAttributes(toggle, { 'aria-expanded': String(isOpen) });
    list.hidden = !isOpen;
    const change = isOpen ? 'addEventListener' : 'removeEventListener';
    document[change]('pointerdown', closeFromOutside);
    // Of the rail, too.
    document[change]('scroll', place, { capture: true, passive: true });
    window[change]('resize', place);
  }
  function close(): void {
    show(false);
  }

  toggle.addEventListener('click', () => {
    show(!isOpen);
    if (!isOpen) return;
    // What there is to save may have come since.
    list.replaceChildren(...figures.map(itemOf));
    place();
  });
  root.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !isOpen) return;
    event.stopPropagation();
    close();
    toggle.focus();
  });
  root.addEventListener('focusout', ({ relatedTarget }) => {
    if (relatedTarget instanceof Node && !root.contains(relatedTarget)) close();
  });
  close();
  return hideable('export', root);
}

/** Between the list and its button, and the edges of the window. */
const gap = 8;
