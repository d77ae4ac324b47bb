import { setAttributes, svg } from '../dom.js';
import { resolveStyles } from './resolve-styles.js';

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
  const composed = svg('svg', {});
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
