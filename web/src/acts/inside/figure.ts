import { range } from 'd3-array';
import { headColour } from 'headwise/view';
import { html, nothing, render, svg, type TemplateResult } from 'lit-html';

import {
  currentTheme,
  followTheme,
  type MapColours,
  rampOfHead,
  rampOfSign,
  signedColours,
  stepOf as rampStepOf,
  weightColours,
} from '../../attention/colour.js';
import { formatShape } from '../../format/numbers.js';
import { element, headStyle, marked, withHeadColour } from '../../ui/dom.js';
import { geometryFor } from '../../ui/token-buttons.js';
import { type Layout, narrowLayout, type Place, type Route, wideLayout } from './layout.js';
import { type Pass, shapeOf, shareOf } from './pass.js';
import {
  edges,
  endsOf,
  type Part,
  parts,
  type StepNumber,
  stepOf,
  stepOfEdge,
  steps,
} from './steps.js';
import { sayStep, spokenOf, words } from './words.js';

/** More copies would not be told apart. */
const maxCards = 4;

/**
 * The chapter's figure, with a copy of projections and attention for each head. It gives an overview: the rail leads
 * from step to step, so a press on a part is only a shortcut.
 */
export function createStepsFigure(onStep: (step: StepNumber) => void) {
  const root = element('div.inside-figure', { role: 'img' });
  const canvases = new Map(parts.map((part) => [part, element('canvas')]));
  let shown: [Pass, StepNumber, number] | undefined;
  /** What the canvases show; they need no new paint when only the step changes. */
  let painted: { readonly pass: Pass; readonly head: number } | undefined;

  /** @param head from 0, the one in front */
  const draw = (pass: Pass, step: StepNumber, head: number): void => {
    shown = [pass, step, head];
    const layout = layoutNow();
    root.style.setProperty('--figure-width', String(layout.width));
    root.style.setProperty('--figure-height', String(layout.height));
    root.setAttribute('aria-label', words.figure(sayStep(step), pass.numHeads));
    withHeadColour(root, head);
    const { operands, results } = steps[step];
    const roleOf = (part: Part) =>
      results.includes(part) ? 'result' : operands.includes(part) ? 'operand' : nothing;
    const box = (part: Part): TemplateResult => {
      return html`<div
        class="inside-box"
        data-part=${part}
        data-state=${stepOf(part) <= step ? 'known' : 'later'}
        data-role=${roleOf(part)}
        title=${`${spokenOf(part)} ${formatShape(shapeOf(pass, part))}`}
        .style=${positionOf(layout, layout.places[part])}
        @click=${() => onStep(stepOf(part) || 1)}
      >
        <span class="inside-name">${marked(words.names[part])}</span>
        ${canvases.get(part)}${bandOf(pass, part, head)}
      </div>`;
    };
    render([frameOf(layout, pass, step, head), parts.map(box)], root);
    if (painted?.pass === pass && painted.head === head) return;
    painted = { pass, head };
    for (const [part, canvas] of canvases) paint(canvas, pass, part, head);
  };
  const redraw = (): void => {
    painted = undefined;
    if (shown !== undefined) draw(...shown);
  };
  const layoutNow = geometryFor(wideLayout(), narrowLayout(), redraw);
  followTheme(redraw);
  return { root, draw };
}

/** Marks the rows or columns of the head in front. */
export function bandOf(pass: Pass, part: Part, head: number): TemplateResult | typeof nothing {
  const share = shareOf(pass, part, head);
  if (share === undefined) return nothing;
  const [from, size] = [`${100 * share.from}%`, `${100 * share.size}%`];
  const place =
    share.along === 'rows' ? `top: ${from}; height: ${size}` : `left: ${from}; width: ${size}`;
  return html`<span class="inside-band" data-along=${share.along} .style=${place}></span>`;
}

/** By the style property, since the page's Content-Security-Policy forbids style attributes. */
function positionOf(layout: Layout, { x, y, width, height }: Place): string {
  const across = (length: number): string => `${(100 * length) / layout.width}%`;
  const down = (length: number): string => `${(100 * length) / layout.height}%`;
  return `left: ${across(x)}; top: ${down(y)}; width: ${across(width)}; height: ${down(height)}`;
}

const stateOf = (own: number, step: StepNumber): string =>
  own === step ? 'now' : own < step ? 'past' : 'later';

/** The cards of the heads and the lines between parts. */
function frameOf(layout: Layout, pass: Pass, step: StepNumber, head: number): TemplateResult {
  const { card, width, height } = layout;
  const others = range(pass.numHeads).filter((each) => each !== head);
  const order = [head, ...others].slice(0, maxCards);
  const cards = order.map(
    (each, depth) =>
      svg`<rect class="inside-card" data-depth=${depth} .style=${headStyle(each)}
        x=${card.x + depth * card.dx} y=${card.y - depth * card.dx}
        width=${card.width} height=${card.height} rx="6"></rect>`,
  );
  const line = ({ d, end, turn }: Route, state: string, colour?: string): TemplateResult =>
    svg`<g class="inside-edge" data-state=${state} .style=${colour === undefined ? '' : `--line-colour: ${colour}`}>
      <path class="inside-line" d=${d}></path>
      <path class="inside-arrow" d="M0,0l-4,-8h8z" transform="translate(${end.join(' ')}) rotate(${turn})"></path>
    </g>`;
  const inside = edges.map((edge) => {
    const [from, to] = endsOf(edge);
    const own = stepOfEdge(edge);
    return svg`<g data-from=${from} data-to=${to}>${line(layout.routes[edge], stateOf(own, step))}</g>`;
  });
  const out = order.map((each, depth) =>
    line(
      layout.toConcat((each + 0.5) / pass.numHeads, depth),
      stateOf(stepOf('concat'), step),
      headColour(each),
    ),
  );
  return html`<svg viewBox="0 0 ${width} ${height}" aria-hidden="true">
    ${[...cards].reverse()}
    <text class="inside-card-name" x=${card.x + 10} y=${card.y + 15}>
      ${words.headOf(head + 1, pass.numHeads)}
    </text>
    ${inside}${out}
  </svg>`;
}

/** Weights in their head's hue; other numbers on the scale of signed numbers. */
export const coloursOf = (pass: Pass, part: Part, head: number): MapColours =>
  part === 'weights' ? weightColours(head) : signedColours(pass.largestOf(part, head));

export const isMaskedCell = (pass: Pass, part: Part, row: number, column: number): boolean =>
  (part === 'masked' || part === 'weights') && pass.isMasked(row, column);

/** Draws a part, a pixel for each number. Masked cells stay transparent: a hatch shows behind them. */
export function paint(canvas: HTMLCanvasElement, pass: Pass, part: Part, head: number): void {
  const { rows, columns, data } = pass.matrixOf(part, head);
  canvas.width = columns;
  // More numbers than pixels in the figure: means of them rather than some of them.
  canvas.toggleAttribute('data-wide', columns > 64);
  canvas.height = rows;
  const theme = currentTheme();
  const largest = part === 'weights' ? 1 : pass.largestOf(part, head) || 1;
  const positive = (part === 'weights' ? rampOfHead(head) : rampOfSign(1)).bytes[theme];
  const negative = rampOfSign(-1).bytes[theme];
  const image = new ImageData(columns, rows);
  data.forEach((value, at) => {
    if (isMaskedCell(pass, part, Math.floor(at / columns), at % columns)) return;
    const from = 3 * rampStepOf(Math.abs(value) / largest);
    image.data.set((value < 0 ? negative : positive).subarray(from, from + 3), 4 * at);
    image.data[4 * at + 3] = 255;
  });
  canvas.getContext('2d')?.putImageData(image, 0, 0);
}
