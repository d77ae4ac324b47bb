import { range } from 'd3-array';

import { createHatch, hatchFill } from '../../attention/weight-legend.js';
import { formatShape } from '../../format/numbers.js';
import { newId, setAttributes, svg } from '../../ui/dom.js';
import { withHeadColour } from '../../ui/head-colour.js';
import { asButton } from '../../ui/svg-button.js';
import { type Box, createBox, type PartCell } from './box.js';
import { type Layout, narrowLayout, type Route, wideLayout } from './layout.js';
import { type Pass, sizes } from './pass.js';
import {
  edges,
  endsOf,
  type Part,
  parts,
  stepOf,
  stepOfEdge,
  steps,
  type StepNumber,
} from './steps.js';
import { words } from './words.js';

interface Events {
  readonly onStep: (step: StepNumber) => void;
  /** Told the head, counted from 0. */
  readonly onHead: (head: number) => void;
  readonly onLook: (cell: PartCell | undefined) => void;
}

export interface StepsFigure {
  readonly root: SVGSVGElement;
  /** `head`, counted from 0, is the one in front. */
  draw(pass: Pass, step: StepNumber, head: number): void;
}

/** What stays as long as the width of the window and the number of heads, of which `of` tells. */
interface Built {
  readonly of: string;
  readonly layout: Layout;
  readonly all: ReadonlyMap<Part, Box>;
}

const isNarrow = window.matchMedia('(max-width: 42rem)');

/** The chapter's figure: a copy of the projections and of attention for each head, one in front. */
export function createStepsFigure(events: Events): StepsFigure {
  const hatchId = newId('figure-hatch');
  const root = svg('svg', { class: 'steps-figure', role: 'group', 'aria-label': words.figure });
  const cards = svg('g');
  const lines = svg('g', { 'aria-hidden': 'true' });
  const boxes = svg('g');
  const tabs = svg('g');
  root.append(svg('defs', {}, createHatch(hatchId)), cards, tabs, lines, boxes);
  let built: Built | undefined;
  let shown: [Pass, StepNumber, number] | undefined;

  const build = ({ heads, headSize }: Pass): Built => {
    const of = `${heads} ${isNarrow.matches}`;
    if (built?.of === of) return built;
    const layout = (isNarrow.matches ? narrowLayout : wideLayout)({ ...sizes, headSize });
    setAttributes(root, { viewBox: `0 0 ${layout.width} ${layout.height}` });
    const all = new Map<Part, Box>();
    for (const part of parts) {
      const box = createBox({
        part,
        place: layout.places[part],
        hatch: hatchFill(hatchId),
        onPress: () => {
          events.onStep(stepOf(part) || 1);
        },
        onLook(cell) {
          // A box of a later step is empty.
          const known = cell !== undefined && stepOf(part) <= (shown?.[1] ?? 0) ? cell : undefined;
          for (const [each, other] of all) other.ring(each === known?.part ? known : undefined);
          events.onLook(known);
        },
      });
      all.set(part, box);
    }
    boxes.replaceChildren(...Array.from(all.values(), (box) => box.root));
    tabs.replaceChildren(
      ...range(heads).map((head) =>
        asButton(svg('g', { class: 'figure-tab', 'aria-label': words.headFront(head + 1) }), () => {
          events.onHead(head);
        }),
      ),
    );
    return { of, layout, all };
  };

  const draw: StepsFigure['draw'] = (pass, step, head) => {
    shown = [pass, step, head];
    built = build(pass);
    const { layout, all } = built;
    const order = [head, ...range(pass.heads).filter((each) => each !== head)];
    const depthOf = (each: number): number => order.indexOf(each);
    cards.replaceChildren(
      ...[...order].reverse().map((each) => cardOf(layout, each, depthOf(each))),
    );
    Array.from(tabs.children).forEach((tab, each) => {
      drawTab(tab as SVGGElement, layout, each, depthOf(each));
    });
    const { operands, results } = steps[step];
    for (const [part, box] of all) {
      const own = stepOf(part);
      const isKnown = own <= step;
      box.draw(pass, head, isKnown);
      const name = words.spoken(part, head + 1);
      const label = isKnown
        ? words.box(name, formatShape(pass.shapeOf(part)), own || 1)
        : words.empty(name, own || 1);
      setAttributes(box.root, {
        'aria-label': label,
        'data-state': isKnown ? 'known' : 'empty',
        'data-role': results.includes(part)
          ? 'result'
          : operands.includes(part)
            ? 'operand'
            : undefined,
      });
    }
    lines.replaceChildren(...linesOf(layout, pass.heads, step, depthOf));
  };
  isNarrow.addEventListener('change', () => {
    if (shown !== undefined) draw(...shown);
  });
  return { root, draw };
}

/** The copy of a head, moved aside by what stands before it. */
function cardOf({ card }: Layout, head: number, depth: number): SVGRectElement {
  const { x, y, width, height, dx, dy } = card;
  return withHeadColour(
    svg('rect', {
      class: 'figure-card',
      'data-head': head,
      'data-depth': depth,
      x: x + depth * dx,
      y: y + depth * dy,
      width,
      height,
      rx: 6,
    }),
    head,
  );
}

const tab = { width: 68, height: 22 } as const;

function drawTab(target: SVGGElement, { card }: Layout, head: number, depth: number): void {
  const x = card.x + 10 + head * (tab.width + 6) + depth * card.dx;
  const y = card.y - tab.height + depth * card.dy;
  setAttributes(target, { 'aria-pressed': String(depth === 0), 'data-head': head });
  withHeadColour(target, head);
  target.replaceChildren(
    svg('path', {
      d: `M${x},${y + tab.height}v-${tab.height - 5}q0,-5 5,-5h${tab.width - 10}q5,0 5,5v${tab.height - 5}z`,
    }),
    svg('text', { x: x + tab.width / 2, y: y + tab.height / 2 + 1 }, words.headTab(head + 1)),
  );
}

function lineOf({ d, end, turn }: Route, attributes: Parameters<typeof svg>[1]): SVGGElement {
  return svg(
    'g',
    { class: 'figure-edge', ...attributes },
    svg('path', { class: 'figure-line', d }),
    svg('path', {
      class: 'figure-arrow',
      d: 'M0,0l-4,-8h8z',
      transform: `translate(${end.join(' ')}) rotate(${turn})`,
    }),
  );
}

const stateOf = (own: number, step: StepNumber): string =>
  own === step ? 'now' : own < step ? 'past' : 'later';

/** Edges within the copy in front, and from every copy to its columns of the concatenation. */
function linesOf(
  layout: Layout,
  heads: number,
  step: StepNumber,
  depthOf: (head: number) => number,
): SVGGElement[] {
  const inside = edges.map((edge) => {
    const [from, to] = endsOf(edge);
    const state = stateOf(stepOfEdge(edge), step);
    return lineOf(layout.routes[edge], { 'data-from': from, 'data-to': to, 'data-state': state });
  });
  const out = range(heads).map((head) =>
    withHeadColour(
      lineOf(layout.toConcat(head, depthOf(head)), {
        'data-from': 'pooled',
        'data-to': 'concat',
        'data-head': head,
        'data-state': stateOf(stepOf('concat'), step),
      }),
      head,
    ),
  );
  return [...inside, ...out];
}
