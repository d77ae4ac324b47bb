import { hideable } from '../../address/hideable.js';
import { element, newId, setAttributes, svg } from '../dom.js';
import { words } from '../words.js';
import { resolveStyles } from './drawing.js';

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
  const list = element('ul.save-list', { id, 'aria-label': words.exports.intro });
  const toggle = element('button.save-toggle.row', { 'aria-controls': id }, words.exports.intro);
  const root = element('div.export', toggle, list);

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
          'aria-label': words.exports.saveAs(name, words.exports.formats[format]),
          'aria-disabled': isReady ? undefined : 'true',
        },
        words.exports.formats[format],
      );
      if (isReady) button.addEventListener('click', () => void save(savable, format));
      return button;
    });
    return element(
      'li',
      element('p.save-name', name),
      element('div.save-formats', ...buttons),
      ...(isReady ? [] : [element('p.save-note.soft.small', words.exports.nothingYet)]),
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
    if (!(relatedTarget instanceof Node) || root.contains(relatedTarget)) return;
    // The browser gives the focus to the act that the address names once the page is loaded: no reader left the list.
    if (!relatedTarget.contains(root)) close();
  });
  close();
  return hideable('export', root);
}

/** Between the list and its button, and the edges of the window. */
const gap = 8;

const margin = 16;
/** Pixels a unit: sharp when printed or thrown on a wall. */
const density = 3;
/** Browsers draw no picture that has more pixels a side. */
const maxSide = 8192;

/** The drawing as an SVG file: styles resolved, on the paper of the page. */
export function svgFile(figure: SVGSVGElement): Blob {
  return new Blob([new XMLSerializer().serializeToString(framed(figure))], {
    type: 'image/svg+xml',
  });
}

/** The drawing as a PNG file, drawn by the browser. */
export async function pngFile(figure: SVGSVGElement): Promise<Blob> {
  const address = URL.createObjectURL(svgFile(figure));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const largest = Math.max(image.naturalWidth, image.naturalHeight);
    const pixels = Math.min(density, maxSide / largest);
    const canvas = document.createElement('canvas');
    canvas.width = Math.round(image.naturalWidth * pixels);
    canvas.height = Math.round(image.naturalHeight * pixels);
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => {
        if (blob === null) reject(new Error(words.exports.noPicture));
        else resolve(blob);
      }, 'image/png');
    });
  } catch {
    throw new Error(words.exports.noPicture);
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** Numbers as a JSON file: tensors as `{ shape, data }`, and −∞, which JSON lacks, as text. */
export function jsonFile(data: unknown): Blob {
  const plain = (_name: string, value: unknown): unknown => {
    if (value instanceof Float32Array) return Array.from(value);
    return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
  };
  return new Blob([JSON.stringify(data, plain, 1)], { type: 'application/json' });
}

/** Hands a file to the reader. */
export function saveFile(name: string, file: Blob): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken the file over once the click is done with.
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

function framed(figure: SVGSVGElement): SVGSVGElement {
  const { drawing, width, height } = resolveStyles(figure);
  setAttributes(drawing, { x: margin, y: margin, width, height, overflow: 'visible' });
  const size = { width: width + 2 * margin, height: height + 2 * margin };
  return svg(
    'svg',
    { ...size, viewBox: `0 0 ${size.width} ${size.height}` },
    svg('rect', { ...size, fill: getComputedStyle(document.body).backgroundColor }),
    drawing,
  );
}
