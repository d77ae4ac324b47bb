import { element, svg } from '../ui/dom.js';
import { currentTheme, followTheme, rampOfHead, stepOf } from './colour.js';
import { hatchFill } from './weight-legend.js';

/** Width and height of a map that is saved, in units of its drawing. */
export const mapSide = 240;

export type LiveMap = ReturnType<typeof createLiveMap>;

let isFollowing = false;

/** Draws all maps of the page anew in another theme. */
function followThemeOnce(): void {
  if (isFollowing) return;
  isFollowing = true;
  followTheme(() => {
    for (const map of document.querySelectorAll('.live-map')) map.dispatchEvent(new Event('theme'));
  });
}

/**
 * The weights of a causal head, a pixel a cell: redrawn at every frame, which a thousand elements
 * could not be. Keys to come stay clear, so that the hatch behind them shows.
 */
export function createLiveMap(length: number, head: number) {
  followThemeOnce();
  const { bytes } = rampOfHead(head);
  let drawn: Float32Array | undefined;
  const root = element('canvas.live-map', { width: length, height: length });
  const context = root.getContext('2d');
  const image = new ImageData(length, length);
  const map = {
    root,
    /** (length, length), queries down and keys across. */
    draw(weights: Float32Array): void {
      drawn = weights;
      const palette = bytes[currentTheme()];
      for (let query = 0; query < length; query += 1) {
        for (let key = 0; key <= query; key += 1) {
          const cell = query * length + key;
          const colour = 3 * stepOf(weights[cell]);
          image.data.set(palette.subarray(colour, colour + 3), 4 * cell);
          image.data[4 * cell + 3] = 255;
        }
      }
      context?.putImageData(image, 0, 0);
    },
    /** What is drawn now, to be saved: a canvas is no part of an SVG. */
    drawing(hatchId: string): SVGSVGElement {
      const pitch = mapSide / length;
      const size = { width: mapSide, height: mapSide };
      const drawing = svg(
        'svg',
        { viewBox: `0 0 ${mapSide} ${mapSide}`, 'shape-rendering': 'crispEdges', ...size },
        svg('rect', { ...size, fill: hatchFill(hatchId) }),
      );
      const colourAt = (query: number, key: number): string => {
        const at = 4 * (query * length + key);
        return `rgb(${image.data.subarray(at, at + 3).join()})`;
      };
      for (let query = 0; query < length; query += 1) {
        for (let key = 0; key <= query;) {
          const first = key;
          const fill = colourAt(query, first);
          while (key <= query && colourAt(query, key) === fill) key += 1;
          drawing.append(
            svg('rect', {
              x: first * pitch,
              y: query * pitch,
              width: (key - first) * pitch,
              height: pitch,
              fill,
            }),
          );
        }
      }
      return drawing;
    },
  };
  root.addEventListener('theme', () => {
    if (drawn !== undefined) map.draw(drawn);
  });
  return map;
}
