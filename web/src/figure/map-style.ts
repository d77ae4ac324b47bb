import { contrastColours, differenceColours, fixedColours } from '../colour.js';
import { formatCell, formatSigned, formatSignedCell, formatWeight } from '../format.js';
import { text } from '../text/index.js';
import type { MapStyle } from './head-map.js';

/** Weights on the scale of every map, or on one of the map's own that ends at `largest`. */
export function weightStyle(largest?: number): MapStyle {
  return {
    colours: largest === undefined ? fixedColours : contrastColours(largest),
    short: formatCell,
    spoken: ({ head, query, key }, { weight, masked, dropped = false }) =>
      text.cell({
        head: head + 1,
        query: query + 1,
        key: key + 1,
        weight: formatWeight(weight),
        masked,
        dropped,
      }),
  };
}

/** What one head weighs more or less than another. */
export function differenceStyle(largest: number): MapStyle {
  return {
    colours: differenceColours(largest),
    short: formatSignedCell,
    spoken: ({ query, key }, { weight, masked }) =>
      text.compare.cell({ query: query + 1, key: key + 1, value: formatSigned(weight), masked }),
  };
}
