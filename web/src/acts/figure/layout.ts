import { type Edge, type Part, parts } from './steps.js';

/** Where the cells of a part stand, in units of the drawing. */
export interface Place {
  readonly x: number;
  readonly y: number;
  /** Side of a cell. */
  readonly cell: number;
  readonly rows: number;
  readonly columns: number;
}

/** The copy of a head: those behind are each moved by (dx, dy). */
interface Card {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly dx: number;
  readonly dy: number;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly card: Card;
  readonly places: Readonly<Record<Part, Place>>;
  /** The line from a part to the next one. */
  readonly routes: Readonly<Record<Edge, Route>>;
  /** From the output of a head to its columns of the concatenation: all heads, `depth` counted from the front. */
  readonly toConcat: (head: number, depth: number) => Route;
}

interface Sizes {
  readonly length: number;
  readonly hiddens: number;
  readonly headSize: number;
}

/** A line with an arrowhead that points down, right, up or left at its end. */
export interface Route {
  readonly d: string;
  readonly end: readonly [x: number, y: number];
  readonly turn: number;
}

type Point = readonly [x: number, y: number];
type Way = 'across' | 'down' | 'up' | 'around' | 'over';

/** From a point to another: leaving and arriving sideways, down or up; `around` leaves sideways and arrives upwards. */
function route([x, y]: Point, [toX, toY]: Point, way: Way): Route {
  const back = 6;
  const [middleX, middleY] = [(x + toX) / 2, (y + toY) / 2];
  switch (way) {
    case 'across':
      return {
        d: `M${x},${y}C${middleX},${y} ${middleX},${toY} ${toX - back},${toY}`,
        end: [toX, toY],
        turn: -90,
      };
    case 'down':
      return {
        d: `M${x},${y}C${x},${middleY} ${toX},${middleY} ${toX},${toY - back}`,
        end: [toX, toY],
        turn: 0,
      };
    case 'up':
      return {
        d: `M${x},${y}C${x},${middleY} ${toX},${middleY} ${toX},${toY + back}`,
        end: [toX, toY],
        turn: 180,
      };
    case 'over':
      return {
        d: `M${x},${y}C${toX},${y} ${toX},${y} ${toX},${toY - back}`,
        end: [toX, toY],
        turn: 0,
      };
    case 'around':
      return {
        d: `M${x},${y}C${(x + 3 * toX) / 4},${y} ${toX},${y} ${toX},${toY + back}`,
        end: [toX, toY],
        turn: 180,
      };
  }
}

const wide = (place: Place): number => place.cell * place.columns;
const high = (place: Place): number => place.cell * place.rows;
/** At a part of a place's width or height, and beyond its edge. */
const leftOf = (place: Place, at = 0.5): Point => [place.x - 4, place.y + at * high(place)];
const rightOf = (place: Place, at = 0.5): Point => [
  place.x + wide(place) + 4,
  place.y + at * high(place),
];
const above = (place: Place, at = 0.5, gap = 22): Point => [
  place.x + at * wide(place),
  place.y - gap,
];
const below = (place: Place, at = 0.5): Point => [
  place.x + at * wide(place),
  place.y + high(place) + 4,
];

type Cells = readonly [cell: number, rows: number, columns: number];

/** Places by the middle of each part. */
function placesOf(
  { length, hiddens, headSize }: Sizes,
  given: Readonly<Record<Part, readonly [x: number, y: number, cell: number]>>,
): Record<Part, Place> {
  const sizeOf = (part: Part, cell: number): Cells => {
    if (part.startsWith('W_')) return [cell, hiddens, hiddens];
    if (['q', 'k', 'v', 'pooled'].includes(part)) return [cell, length, headSize];
    if (['scores', 'scaled', 'masked', 'weights'].includes(part)) return [cell, length, length];
    return [cell, length, hiddens];
  };
  const placed = parts.map((part): [Part, Place] => {
    const [x, y, side] = given[part];
    const [cell, rows, columns] = sizeOf(part, side);
    return [part, { x: x - (cell * columns) / 2, y: y - (cell * rows) / 2, cell, rows, columns }];
  });
  return Object.fromEntries(placed) as Record<Part, Place>;
}

/** From left to right, and up at the end. */
export function wideLayout(sizes: Sizes): Layout {
  const [top, middle, bottom] = [128, 244, 362];
  const card = { x: 112, y: 56, width: 716, height: 370, dx: 8, dy: -8 };
  const places = placesOf(sizes, {
    ...{ X: [48, middle, 7] },
    ...{ W_q: [172, top, 6], W_k: [172, middle, 6], W_v: [172, bottom, 6] },
    ...{ queries: [288, top, 7], keys: [288, middle, 7], values: [288, bottom, 7] },
    ...{ q: [398, top, 12], k: [398, middle, 12], v: [398, bottom, 12] },
    ...{ scores: [500, 132, 16], scaled: [618, 132, 16], masked: [736, 132, 16] },
    ...{ weights: [676, 272, 24], pooled: [776, bottom, 12] },
    ...{ concat: [932, 290, 7], W_o: [932, 186, 6], output: [932, 90, 7] },
  });
  const { X, W_q, W_k, W_v, queries, keys, values, q, k, v, ...rest } = places;
  const { scores, scaled, masked, weights, pooled, concat, W_o, output } = rest;
  const right = card.x + card.width;
  const out = pooled.y + high(pooled) / 2;
  return {
    ...{ width: 980, height: 432, card, places },
    routes: {
      'X-W_q': route(rightOf(X, 0.2), leftOf(W_q), 'across'),
      'X-W_k': route(rightOf(X), leftOf(W_k), 'across'),
      'X-W_v': route(rightOf(X, 0.8), leftOf(W_v), 'across'),
      'W_q-queries': route(rightOf(W_q), leftOf(queries), 'across'),
      'W_k-keys': route(rightOf(W_k), leftOf(keys), 'across'),
      'W_v-values': route(rightOf(W_v), leftOf(values), 'across'),
      'queries-q': route(rightOf(queries), leftOf(q), 'across'),
      'keys-k': route(rightOf(keys), leftOf(k), 'across'),
      'values-v': route(rightOf(values), leftOf(v), 'across'),
      'q-scores': route(rightOf(q), leftOf(scores, 0.35), 'across'),
      'k-scores': route(rightOf(k), below(scores), 'around'),
      'scores-scaled': route(rightOf(scores), leftOf(scaled), 'across'),
      'scaled-masked': route(rightOf(scaled), leftOf(masked), 'across'),
      'masked-weights': route(below(masked, 0.2), above(weights, 0.85, 6), 'down'),
      'weights-pooled': route(rightOf(weights, 0.5), above(pooled, 0.6), 'over'),
      'v-pooled': route(rightOf(v), leftOf(pooled), 'across'),
      'concat-W_o': route(above(concat, 0.85, 4), below(W_o, 0.85), 'up'),
      'W_o-output': route(above(W_o, 0.85, 4), below(output, 0.85), 'up'),
    },
    toConcat: (head, depth) =>
      route(
        depth === 0 ? rightOf(pooled) : [right + depth * card.dx, out + depth * card.dy],
        below(concat, ((head + 0.5) * sizes.headSize) / sizes.hiddens),
        'around',
      ),
  };
}

/** From top to bottom, for a phone. */
export function narrowLayout(sizes: Sizes): Layout {
  const [left, middle, right] = [60, 172, 284];
  const card = { x: 2, y: 122, width: 342, height: 640, dx: 4, dy: -4 };
  const places = placesOf(sizes, {
    ...{ X: [middle, 44, 10] },
    ...{ W_q: [left, 206, 8], W_k: [middle, 206, 8], W_v: [right, 206, 8] },
    ...{ queries: [left, 316, 8], keys: [middle, 316, 8], values: [right, 316, 8] },
    ...{ q: [left, 414, 14], k: [middle, 414, 14], v: [right, 414, 14] },
    ...{ scores: [left, 532, 16], scaled: [middle, 532, 16], masked: [right - 8, 532, 16] },
    ...{ weights: [140, 676, 26], pooled: [290, 692, 14] },
    ...{ concat: [48, 834, 7], W_o: [180, 834, 7], output: [308, 834, 7] },
  });
  const { X, W_q, W_k, W_v, queries, keys, values, q, k, v, ...rest } = places;
  const { scores, scaled, masked, weights, pooled, concat, W_o, output } = rest;
  const edge = card.x + card.width - 10;
  const vOut = rightOf(v);
  return {
    ...{ width: 358, height: 882, card, places },
    routes: {
      'X-W_q': route(below(X, 0.1), above(W_q), 'down'),
      'X-W_k': route(below(X), above(W_k), 'down'),
      'X-W_v': route(below(X, 0.9), above(W_v), 'down'),
      'W_q-queries': route(below(W_q, 0.8), above(queries, 0.8), 'down'),
      'W_k-keys': route(below(W_k, 0.8), above(keys, 0.8), 'down'),
      'W_v-values': route(below(W_v, 0.8), above(values, 0.8), 'down'),
      'queries-q': route(below(queries), above(q), 'down'),
      'keys-k': route(below(keys), above(k), 'down'),
      'values-v': route(below(values), above(v), 'down'),
      'q-scores': route(below(q), above(scores, 0.35), 'down'),
      'k-scores': route(below(k), above(scores, 0.75), 'down'),
      'scores-scaled': route(rightOf(scores), leftOf(scaled), 'across'),
      'scaled-masked': route(rightOf(scaled), leftOf(masked), 'across'),
      'masked-weights': route(below(masked), above(weights, 0.8), 'down'),
      'weights-pooled': route(rightOf(weights, 0.62), leftOf(pooled), 'across'),
      'v-pooled': {
        ...route(vOut, above(pooled, 0.8), 'down'),
        d: `M${vOut.join()}C${edge},${vOut[1]} ${edge},${vOut[1]} ${edge},${vOut[1] + 40}V${pooled.y - 50}C${edge},${pooled.y - 34} ${above(pooled, 0.8)[0]},${pooled.y - 44} ${above(pooled, 0.8)[0]},${pooled.y - 28}`,
      },
      'concat-W_o': route(rightOf(concat), leftOf(W_o), 'across'),
      'W_o-output': route(rightOf(W_o), leftOf(output), 'across'),
    },
    toConcat: (head, depth) =>
      route(
        depth === 0 ? below(pooled) : [right + 30 + depth * 6, card.y + card.height],
        above(concat, ((head + 0.5) * sizes.headSize) / sizes.hiddens, 29),
        'down',
      ),
  };
}
