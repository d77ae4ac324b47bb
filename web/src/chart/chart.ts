import { setAttributes, svg } from '../dom.js';

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Chart {
  readonly root: SVGSVGElement;
  /** Draws again, after what it shows has changed. */
  draw(): void;
}

interface Options {
  readonly label: string;
  readonly height: number;
  readonly draw: (size: Size) => readonly SVGElement[];
}

/**
 * A drawing as wide as its place, in pixels of the page: letters are as large on a phone as on a
 * projector, and it is drawn anew when its place changes.
 */
export function createChart({ label, height, draw }: Options): Chart {
  const root = svg('svg', { class: 'chart', role: 'img', 'aria-label': label, height });
  let width = 0;
  const redraw = (): void => {
    if (width > 0) root.replaceChildren(...draw({ width, height }));
  };
  new ResizeObserver(([entry]) => {
    const found = Math.round(entry.contentRect.width);
    if (found === width) return;
    width = found;
    setAttributes(root, { viewBox: `0 0 ${width} ${height}` });
    redraw();
  }).observe(root);
  return { root, draw: redraw };
}
