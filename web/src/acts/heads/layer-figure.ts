import { range } from 'd3-array';

import type { AttentionView } from '../../attention/attention-view.js';
import { formatShape } from '../../format/numbers.js';
import { setAttributes, svg } from '../../ui/dom.js';
import { withHeadColour } from '../../ui/head-colour.js';
import { asButton } from '../../ui/svg-button.js';
import { isOfHead, shapeOf } from './layer-parts.js';
import type { LayerPart } from './state.js';
import { words } from './words.js';

export interface LayerFigure {
  readonly drawing: SVGSVGElement;
  /** The head is counted from 0. */
  draw(view: AttentionView, head: number, part: LayerPart, gates: readonly number[]): void;
}

interface Options {
  readonly onPart: (part: LayerPart) => void;
  /** Told the head, counted from 0. */
  readonly onHead: (head: number) => void;
}

/** Of the boxes; shapes beside the last column stand further out. */
const width = 372;
const shapeRoom = 22;
const box = { width: 112, height: 34 } as const;
const wide = 240;
const centres = [64, 186, 308] as const;
const middle = centres[1];
/** Tops of the rows of the figure, from the input down to the output. */
const tops = {
  input: 4,
  weight: 76,
  head: 170,
  weights: 252,
  pooled: 324,
  concat: 396,
  W_o: 468,
  output: 540,
} as const;
const strip = { top: 142, height: 18, left: 8, width: width - 16 } as const;
const frame = { top: 136, bottom: 366 } as const;

/** Boxes of the figure: where they stand and how wide they are. */
const places: Readonly<Record<LayerPart, readonly [x: number, top: number, width: number]>> = {
  queries: [centres[0], tops.input, box.width],
  keys: [centres[1], tops.input, box.width],
  values: [centres[2], tops.input, box.width],
  W_q: [centres[0], tops.weight, box.width],
  W_k: [centres[1], tops.weight, box.width],
  W_v: [centres[2], tops.weight, box.width],
  q: [centres[0], tops.head, box.width],
  k: [centres[1], tops.head, box.width],
  v: [centres[2], tops.head, box.width],
  weights: [(centres[0] + centres[1]) / 2, tops.weights, 210],
  pooled: [middle, tops.pooled, wide],
  concat: [middle, tops.concat, wide],
  W_o: [middle, tops.W_o, wide],
  output: [middle, tops.output, wide],
};

/** From which part to which: the shape of the first stands at the edge. */
const edges: readonly (readonly [LayerPart, LayerPart])[] = [
  ['queries', 'W_q'],
  ['keys', 'W_k'],
  ['values', 'W_v'],
  ['W_q', 'q'],
  ['W_k', 'k'],
  ['W_v', 'v'],
  ['q', 'weights'],
  ['k', 'weights'],
  ['weights', 'pooled'],
  ['v', 'pooled'],
  ['pooled', 'concat'],
  ['concat', 'W_o'],
  ['W_o', 'output'],
];

/** The chapter's figure, from input to output, with the shapes that the layer really had. */
export function createLayerFigure({ onPart, onHead }: Options): LayerFigure {
  const drawing = svg('svg', {
    class: 'layer-figure',
    viewBox: `0 0 ${width + shapeRoom} ${tops.output + box.height + 24}`,
    role: 'group',
    'aria-label': words.layer.label,
  });
  const parts = Object.fromEntries(
    (Object.keys(places) as LayerPart[]).map((part) => [part, createBox(part, onPart)]),
  ) as Record<LayerPart, SVGGElement>;
  const shapes = edges.map(([from, to]) => ({ from, to, ...createEdge(from, to) }));
  const outputShape = svg('text', {
    class: 'edge-shape',
    x: middle + 6,
    y: tops.output + box.height + 13,
  });
  const headsTitle = svg('text', { class: 'edge-shape', x: strip.left, y: frame.top - 6 });
  const heads = svg('g', { role: 'group' });
  let shownHeads = 0;

  drawing.append(
    svg('rect', {
      class: 'heads-frame',
      x: 2,
      y: frame.top,
      width: width + shapeRoom - 4,
      height: frame.bottom - frame.top,
      rx: 8,
    }),
    ...shapes.map(({ root }) => root),
    headsTitle,
    heads,
    ...Object.values(parts),
    outputShape,
  );

  return {
    drawing,
    draw(view, head, part, gates) {
      if (shownHeads !== view.numHeads) {
        shownHeads = view.numHeads;
        heads.replaceChildren(...createHeads(shownHeads, onHead));
        setAttributes(heads, { 'aria-label': words.layer.headsTitle(shownHeads) });
      }
      withHeadColour(drawing, head);
      Array.from(heads.children).forEach((drawn, at) => {
        setAttributes(drawn, {
          'aria-pressed': String(at === head),
          opacity: at === head ? undefined : 0.35 + 0.65 * (gates[at] ?? 1),
        });
      });
      for (const name of Object.keys(parts) as LayerPart[]) {
        setAttributes(parts[name], {
          'aria-pressed': String(name === part),
          'aria-label': words.layer.partLabel(
            words.layer.parts[name],
            formatShape(shapeOf(view, name)),
          ),
        });
      }
      for (const { from, to, label } of shapes) {
        label.textContent = formatShape(shapeOf(view, edgeShape(from, to)));
      }
      outputShape.textContent = formatShape(shapeOf(view, 'output'));
      headsTitle.textContent = words.layer.headsTitle(shownHeads);
    },
  };
}

/** What runs along an edge: what leaves a weight is what its head gets. */
function edgeShape(from: LayerPart, to: LayerPart): LayerPart {
  return from.startsWith('W_') ? to : from;
}

function createEdge(
  from: LayerPart,
  to: LayerPart,
): { readonly root: SVGGElement; readonly label: SVGTextElement } {
  const [fromX, fromTop] = places[from];
  const [toX, toTop, toWidth] = places[to];
  const start = fromTop + box.height;
  // An edge enters the box that it leads to from straight above, if that is wide enough.
  const reach = toWidth / 2 - 16;
  const endX = Math.min(Math.max(fromX, toX - reach), toX + reach);
  const label = svg('text', {
    class: 'edge-shape',
    x: fromX + 6,
    y: (start + Math.min(toTop, start + 38)) / 2,
  });
  return {
    label,
    root: svg(
      'g',
      { 'aria-hidden': 'true' },
      svg('path', {
        class: 'edge',
        d: `M${fromX} ${start} V${toTop - 12} L${endX} ${toTop - 5}`,
      }),
      svg('path', { class: 'edge-end', d: `M${endX} ${toTop} l-4 -7 h8 Z` }),
      label,
    ),
  };
}

/** Projections, and what belongs to the selected head alone. */
const classOf = (part: LayerPart): string =>
  [
    'layer-part',
    ...(part.startsWith('W_') ? ['is-weight'] : []),
    ...(isOfHead(part) ? ['of-head'] : []),
  ].join(' ');

function createBox(part: LayerPart, onPart: Options['onPart']): SVGGElement {
  const [x, top, boxWidth] = places[part];
  const name = words.layer.parts[part];
  const isWeight = name.startsWith('W_');
  const label = svg('text', { x, y: top + box.height / 2 }, isWeight ? 'W' : name);
  if (isWeight) label.append(svg('tspan', { class: 'subscript', dy: 4 }, name.slice(2)));
  return asButton(
    svg(
      'g',
      { class: classOf(part) },
      svg('rect', { x: x - boxWidth / 2, y: top, width: boxWidth, height: box.height, rx: 5 }),
      label,
    ),
    () => {
      onPart(part);
    },
  );
}

function createHeads(count: number, onHead: Options['onHead']): SVGGElement[] {
  const step = strip.width / count;
  return range(count).map((head) =>
    withHeadColour(
      asButton(
        svg(
          'g',
          { class: 'layer-head', 'aria-label': words.layer.headLabel(head + 1) },
          svg('rect', {
            x: strip.left + head * step + 1,
            y: strip.top,
            width: step - 2,
            height: strip.height,
            rx: 3,
          }),
          svg(
            'text',
            { x: strip.left + (head + 0.5) * step, y: strip.top + strip.height / 2 },
            String(head + 1),
          ),
        ),
        () => {
          onHead(head);
        },
      ),
      head,
    ),
  );
}
