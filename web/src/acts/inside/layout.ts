import { type Edge, isMap, type Part, parts } from './steps.js';

/** Where a part is drawn, in units of the figure. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A line with an arrowhead at its end, which points down at turn 0. */
export interface Route {
  readonly d: string;
  readonly end: Point;
  readonly turn: number;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  /** The copy of the head in front; those behind are each moved by (dx, −dx). */
  readonly card: Place & { readonly dx: number };
  readonly places: Readonly<Record<Part, Place>>;
  readonly routes: Readonly<Record<Edge, Route>>;
  /** From the output of the head at a depth behind the front, to its share (0 to 1) of the concatenation. */
  readonly toConcat: (share: number, depth: number) => Route;
}

type Point = readonly [x: number, y: number];
type Way = 'across' | 'down' | 'up' | 'around' | 'over';

/** `around` leaves sideways and arrives upwards, `over` leaves sideways and arrives downwards. */
function route([x, y]: Point, [toX, toY]: Point, way: Way): Route {
  const [middleX, middleY] = [(x + toX) / 2, (y + toY) / 2];
  const back = 6;
  const curve = {
    across: `${middleX},${y} ${middleX},${toY} ${toX - back},${toY}`,
    down: `${x},${middleY} ${toX},${middleY} ${toX},${toY - back}`,
    up: `${x},${middleY} ${toX},${middleY} ${toX},${toY + back}`,
    around: `${(x + 3 * toX) / 4},${y} ${toX},${y} ${toX},${toY + back}`,
    over: `${toX},${y} ${toX},${y} ${toX},${toY - back}`,
  }[way];
  const turn = way === 'across' ? -90 : way === 'up' || way === 'around' ? 180 : 0;
  return { d: `M${x},${y}C${curve}`, end: [toX, toY], turn };
}

/** At a share of a place's height or width, beyond its edge. */
const leftOf = ({ x, y, height }: Place, at = 0.5): Point => [x - 4, y + at * height];
const rightOf = ({ x, y, width, height }: Place, at = 0.5): Point => [
  x + width + 4,
  y + at * height,
];
/** Above the part's name. */
const above = ({ x, y, width }: Place, at = 0.5, gap = 20): Point => [x + at * width, y - gap];
const below = ({ x, y, width, height }: Place, at = 0.5): Point => [x + at * width, y + height + 4];

/** Places by the middle of each part. All sizes of models are drawn into the same boxes. */
function placesOf(
  sizes: Readonly<Record<'wide' | 'square' | 'ofHead' | 'map', Point>>,
  middles: Readonly<Record<Part, Point>>,
  weights: Point,
): Record<Part, Place> {
  const sizeOf = (part: Part): Point => {
    if (part === 'weights') return weights;
    if (part.startsWith('W_')) return sizes.square;
    if (isMap(part)) return sizes.map;
    return ['q', 'k', 'v', 'pooled'].includes(part) ? sizes.ofHead : sizes.wide;
  };
  const placed = parts.map((part): [Part, Place] => {
    const [[x, y], [width, height]] = [middles[part], sizeOf(part)];
    return [part, { x: x - width / 2, y: y - height / 2, width, height }];
  });
  return Object.fromEntries(placed) as Record<Part, Place>;
}

/** Routes that both layouts draw alike. */
function commonRoutes(places: Readonly<Record<Part, Place>>, way: 'across' | 'down') {
  const [from, to] = way === 'across' ? [rightOf, leftOf] : [below, above];
  const lead = (start: Part, end: Part): Route => route(from(places[start]), to(places[end]), way);
  return {
    'W_q-queries': lead('W_q', 'queries'),
    'W_k-keys': lead('W_k', 'keys'),
    'W_v-values': lead('W_v', 'values'),
    'queries-q': lead('queries', 'q'),
    'keys-k': lead('keys', 'k'),
    'values-v': lead('values', 'v'),
    'dots-scores': route(rightOf(places.dots), leftOf(places.scores), 'across'),
    'scores-masked': route(rightOf(places.scores), leftOf(places.masked), 'across'),
  } satisfies Partial<Record<Edge, Route>>;
}

/** From left to right, and up at the end. */
export function wideLayout(): Layout {
  const [top, middle, bottom] = [96, 188, 280];
  const card = { x: 102, y: 28, width: 672, height: 292, dx: 6 };
  const sizes = { wide: [70, 46], square: [58, 58], ofHead: [36, 46], map: [64, 64] } as const;
  const right = 890;
  const places = placesOf(
    sizes,
    {
      ...{ X: [44, middle] },
      ...{ W_q: [152, top], W_k: [152, middle], W_v: [152, bottom] },
      ...{ queries: [254, top], keys: [254, middle], values: [254, bottom] },
      ...{ q: [344, top], k: [344, middle], v: [344, bottom] },
      ...{ dots: [438, top], scores: [546, top], masked: [654, top] },
      ...{ weights: [602, 208], pooled: [724, bottom] },
      ...{ concat: [right, 240], W_o: [right, 152], output: [right, 68] },
    },
    [90, 90],
  );
  const { X, W_q, W_k, W_v, q, k, v, dots, masked, weights, pooled, concat, W_o, output } = places;
  return {
    ...{ width: 944, height: 326, card, places },
    routes: {
      ...commonRoutes(places, 'across'),
      'X-W_q': route(rightOf(X, 0.2), leftOf(W_q), 'across'),
      'X-W_k': route(rightOf(X), leftOf(W_k), 'across'),
      'X-W_v': route(rightOf(X, 0.8), leftOf(W_v), 'across'),
      'q-dots': route(rightOf(q), leftOf(dots), 'across'),
      'k-dots': route(rightOf(k), below(dots), 'around'),
      'masked-weights': route(below(masked, 0.2), above(weights, 0.9, 6), 'down'),
      'weights-pooled': route(rightOf(weights, 0.5), above(pooled, 0.6), 'over'),
      'v-pooled': route(rightOf(v), leftOf(pooled), 'across'),
      'concat-W_o': route(above(concat, 0.85, 4), below(W_o, 0.85), 'up'),
      'W_o-output': route(above(W_o, 0.85, 4), below(output, 0.85), 'up'),
    },
    toConcat(share, depth) {
      const behind: Point = [
        card.x + card.width + depth * card.dx,
        pooled.y + pooled.height / 2 - depth * card.dx,
      ];
      const from = depth === 0 ? rightOf(pooled) : behind;
      return route(from, below(concat, share), 'around');
    },
  };
}

/** From top to bottom, for a phone. */
export function narrowLayout(): Layout {
  const [left, middle, right] = [60, 172, 284];
  const card = { x: 4, y: 90, width: 338, height: 472, dx: 4 };
  const sizes = { wide: [78, 44], square: [60, 60], ofHead: [44, 44], map: [72, 72] } as const;
  const places = placesOf(
    sizes,
    {
      ...{ X: [middle, 42] },
      ...{ W_q: [left, 152], W_k: [middle, 152], W_v: [right, 152] },
      ...{ queries: [left, 232], keys: [middle, 232], values: [right, 232] },
      ...{ q: [left, 304], k: [middle, 304], v: [right, 304] },
      ...{ dots: [left, 394], scores: [middle, 394], masked: [right - 8, 394] },
      ...{ weights: [148, 506], pooled: [286, 518] },
      ...{ concat: [56, 614], W_o: [180, 614], output: [298, 614] },
    },
    [92, 92],
  );
  const { X, W_q, W_k, W_v, q, k, v, dots, masked, weights, pooled, concat, W_o, output } = places;
  const edge = card.x + card.width - 8;
  const [fromV, toPooled] = [rightOf(v), above(pooled, 0.8)];
  return {
    ...{ width: 358, height: 646, card, places },
    routes: {
      ...commonRoutes(places, 'down'),
      'X-W_q': route(below(X, 0.1), above(W_q), 'down'),
      'X-W_k': route(below(X), above(W_k), 'down'),
      'X-W_v': route(below(X, 0.9), above(W_v), 'down'),
      'q-dots': route(below(q), above(dots, 0.35), 'down'),
      'k-dots': route(below(k), above(dots, 0.75), 'down'),
      'masked-weights': route(below(masked), above(weights, 0.9, 6), 'down'),
      'weights-pooled': route(rightOf(weights, 0.62), leftOf(pooled), 'across'),
      'v-pooled': {
        ...route(fromV, toPooled, 'down'),
        d: `M${fromV.join()}C${edge},${fromV[1]} ${edge},${fromV[1]} ${edge},${fromV[1] + 40}V${toPooled[1] - 34}C${edge},${toPooled[1] - 14} ${toPooled[0]},${toPooled[1] - 26} ${toPooled[0]},${toPooled[1] - 6}`,
      },
      'concat-W_o': route(rightOf(concat), leftOf(W_o), 'across'),
      'W_o-output': route(rightOf(W_o), leftOf(output), 'across'),
    },
    toConcat(share, depth) {
      const behind: Point = [right + 30 + depth * 6, card.y + card.height];
      return route(depth === 0 ? below(pooled) : behind, above(concat, share), 'down');
    },
  };
}
