import { range } from 'd3-array';

import { element, svg } from '../ui/dom.js';
import { currentTheme, followTheme, rampOfHead, stepOf } from './colour.js';

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
 * The weights of a head, a pixel a cell: redrawn at every frame, which a thousand elements could not be. If it is causal,
 * keys to come stay clear, so that the hatch behind them shows.
 */
export function createLiveMap(length: number, head: number, isCausal = true) {
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
        for (let key = 0; key < (isCausal ? query + 1 : length); key += 1) {
          const cell = query * length + key;
          const colour = 3 * stepOf(weights[cell]);
          image.data.set(palette.subarray(colour, colour + 3), 4 * cell);
          image.data[4 * cell + 3] = 255;
        }
      }
      context?.putImageData(image, 0, 0);
    },
    /** What is drawn now, to be saved: a canvas is no part of an SVG. `fill`: of what is masked. */
    drawing(fill: string): SVGSVGElement {
      const pitch = mapSide / length;
      const size = { width: mapSide, height: mapSide };
      const drawing = svg(
        'svg',
        { viewBox: `0 0 ${mapSide} ${mapSide}`, 'shape-rendering': 'crispEdges', ...size },
        svg('rect', { ...size, fill }),
      );
      const colourAt = (query: number, key: number): string => {
        const at = 4 * (query * length + key);
        return `rgb(${image.data.subarray(at, at + 3).join()})`;
      };
      for (let query = 0; query < length; query += 1) {
        const end = isCausal ? query + 1 : length;
        for (let key = 0; key < end;) {
          const first = key;
          const colour = colourAt(query, first);
          while (key < end && colourAt(query, key) === colour) key += 1;
          drawing.append(
            svg('rect', {
              x: first * pitch,
              y: query * pitch,
              width: (key - first) * pitch,
              height: pitch,
              fill: colour,
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

/** Maps of all heads of a model, by layer; of each layer, weights (heads, length, length). */
export const liveMapsOf = (
  layers: readonly Float32Array[],
  length: number,
  isCausal = true,
): readonly (readonly LiveMap[])[] =>
  layers.map((weights) =>
    range(weights.length / length ** 2).map((head) => {
      const map = createLiveMap(length, head, isCausal);
      map.draw(weights.subarray(head * length ** 2, (head + 1) * length ** 2));
      return map;
    }),
  );
