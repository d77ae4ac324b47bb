import { svg } from '../dom.js';
import { resolveStyles } from './resolve-styles.js';

/** A drawing of a figure that has many, and what stands above it. */
export interface Piece {
  readonly drawing: SVGSVGElement;
  readonly title: string;
}

const gap = 24;
const titleHeight = 20;

/**
 * One drawing of several on the page, in rows: what a figure that is laid out by the page is saved
 * as. Rows are as high as their highest piece.
 */
export function composeDrawings(rows: readonly (readonly Piece[])[]): SVGSVGElement {
  const composed = svg('svg', {});
  let top = 0;
  let widest = 0;
  for (const row of rows) {
    let left = 0;
    let highest = 0;
    for (const { drawing, title } of row) {
      const piece = resolveStyles(drawing);
      piece.drawing.setAttribute('x', String(left));
      piece.drawing.setAttribute('y', String(top + titleHeight));
      // Numbers at the edges of a map may stand out of its own box.
      piece.drawing.setAttribute('overflow', 'visible');
      const { color, fontFamily } = getComputedStyle(document.body);
      composed.append(
        svg(
          'text',
          { x: left, y: top + 13, fill: color, 'font-family': fontFamily, 'font-size': 12 },
          title,
        ),
        piece.drawing,
      );
      left += piece.width + gap;
      highest = Math.max(highest, piece.height);
    }
    widest = Math.max(widest, left - gap);
    top += titleHeight + highest + gap;
  }
  composed.setAttribute('viewBox', `0 0 ${widest} ${Math.max(top - gap, 0)}`);
  return composed;
}
