import { setAttributes, svg } from '../dom.js';

/** Properties that CSS sets on a drawing and that a standalone file must contain. */
const properties = [
  'dominant-baseline',
  'fill',
  'fill-opacity',
  'font-family',
  'font-size',
  'font-style',
  'font-weight',
  'opacity',
  'paint-order',
  'stroke',
  'stroke-dasharray',
  'stroke-linecap',
  'stroke-linejoin',
  'stroke-width',
  'text-anchor',
  'visibility',
] as const;

/** What only a page has a use for. */
const pageAttributes = /^(?:class|tabindex|role|style|id|aria-.*|data-.*)$/;

/**
 * A copy of a drawing on the page with the styles that it has there; one that is not on the page
 * must have its own. What is not displayed is left out; patterns and gradients it refers to come
 * with it, wherever on the page they are. Its size is in units of the drawing.
 */
export function resolveStyles(original: SVGSVGElement) {
  const { width, height } = original.viewBox.baseVal;
  const drawing = (
    original.isConnected ? copyOf(original) : original.cloneNode(true)
  ) as SVGSVGElement;
  setAttributes(drawing, { width, height });
  for (const id of outsideReferences(drawing)) {
    const target = document.getElementById(id);
    if (target !== null) drawing.prepend(svg('defs', copyOf(target)));
  }
  return { drawing, width, height };
}

function copyOf(original: Element): Element {
  const copy = original.cloneNode(false) as Element;
  const styles = getComputedStyle(original);
  for (const { name } of [...copy.attributes]) {
    const isUsed = name === 'id' && original.closest('defs') !== null;
    if (pageAttributes.test(name) && !isUsed) copy.removeAttribute(name);
  }
  for (const property of properties) copy.setAttribute(property, styles.getPropertyValue(property));
  if (original.localName === 'stop') {
    copy.setAttribute('stop-color', styles.getPropertyValue('stop-color'));
  }
  for (const child of original.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) copy.append(child.cloneNode());
    else if (child instanceof Element && isDisplayed(child)) copy.append(copyOf(child));
  }
  return copy;
}

function isDisplayed(candidate: Element): boolean {
  // Definitions are never displayed, and are needed all the same.
  if (candidate.closest('defs') !== null) return true;
  return getComputedStyle(candidate).display !== 'none';
}

function outsideReferences(drawing: Element): Set<string> {
  const ids = new Set<string>();
  for (const found of drawing.querySelectorAll('*')) {
    for (const { value } of found.attributes) {
      const id = /^url\(["']?#([^"')]+)["']?\)$/.exec(value)?.[1];
      if (id !== undefined && drawing.querySelector(`#${CSS.escape(id)}`) === null) ids.add(id);
    }
  }
  return ids;
}

/** A drawing of a figure that has many, and what stands above it. */
export interface Piece {
  readonly drawing: SVGSVGElement;
  /** Empty where nothing stands above it. */
  readonly title: string;
  /** A second line, smaller. */
  readonly note?: string;
}

const gap = 24;
const titleHeight = 20;
const noteHeight = 16;

/**
 * One drawing of several on the page, in rows: what a figure that is laid out by the page is saved
 * as. Rows are as high as their highest piece.
 */
export function composeDrawings(rows: readonly (readonly Piece[])[]): SVGSVGElement {
  const composed = svg('svg');
  const { color, fontFamily } = getComputedStyle(document.body);
  const ruler = document.createElement('canvas').getContext('2d');
  let top = 0;
  let widest = 0;
  const write = (words: string, x: number, y: number, size: number): void => {
    const style = { fill: color, 'font-family': fontFamily, 'font-size': size };
    composed.append(svg('text', { x, y, ...style }, words));
    if (ruler === null) return;
    ruler.font = `${size}px ${fontFamily}`;
    widest = Math.max(widest, x + ruler.measureText(words).width);
  };
  for (const row of rows) {
    let left = 0;
    let highest = 0;
    const has = (line: 'title' | 'note'): boolean => row.some((piece) => piece[line]);
    const head = (has('title') ? titleHeight : 0) + (has('note') ? noteHeight : 0);
    for (const { drawing, title, note = '' } of row) {
      const piece = resolveStyles(drawing);
      // Numbers at the edges of a map may stand out of its own box.
      setAttributes(piece.drawing, { x: left, y: top + head, overflow: 'visible' });
      if (title !== '') write(title, left, top + 13, 12);
      if (note !== '') write(note, left, top + 13 + noteHeight, 11);
      composed.append(piece.drawing);
      left += piece.width + gap;
      highest = Math.max(highest, piece.height);
    }
    widest = Math.max(widest, left - gap);
    top += head + highest + gap;
  }
  composed.setAttribute('viewBox', `0 0 ${widest} ${Math.max(top - gap, 0)}`);
  return composed;
}

/** A key or a scale, which the page lays out in words and small drawings, as it stands there. */
export function drawLegend(root: Element): Piece {
  const { left, top, height } = root.getBoundingClientRect();
  let width = 0;
  const placeOf = (part: Element | Range): Record<'x' | 'y' | 'width' | 'height', number> => {
    const box = part.getBoundingClientRect();
    width = Math.max(width, box.right - left);
    return { x: box.left - left, y: box.top - top, width: box.width, height: box.height };
  };
  const drawing = svg('svg');
  for (const part of root.querySelectorAll('svg')) {
    const { drawing: copy } = resolveStyles(part);
    setAttributes(copy, placeOf(part));
    drawing.append(copy);
  }
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const { parentElement } = node;
    if (parentElement?.closest('svg') !== null) continue;
    const range = document.createRange();
    range.selectNode(node);
    const { x, y, height: line } = placeOf(range);
    const { color, fontFamily, fontSize } = getComputedStyle(parentElement);
    const style = { fill: color, 'font-family': fontFamily, 'font-size': fontSize };
    const at = { x, y: y + line / 2, 'dominant-baseline': 'central' };
    drawing.append(svg('text', { ...at, ...style }, node.nodeValue ?? ''));
  }
  setAttributes(drawing, { viewBox: `0 0 ${width} ${height}`, width, height });
  return { drawing, title: '' };
}
