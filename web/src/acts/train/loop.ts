import { range } from 'd3-array';
import { scaleLinear, scaleLog } from 'd3-scale';
import { headColour } from 'headwise/view';

import { drawLine, type Point } from '../../ui/chart.js';
import { svg } from '../../ui/dom.js';
import {
  animate,
  animateText,
  colourNow,
  createLoop,
  framesOf,
  shareOf,
} from '../../ui/export/loop.js';
import type { Head } from '../../worker/heads.js';
import { measureEvery } from '../../worker/training.js';
import type { Moment, RunRecord } from './run.js';
import { shortNameOf, words } from './words.js';

/** In units of the drawing. */
const side = 160;
const gap = 20;
const titleHeight = 38;
const curveHeight = 110;
/** A weight that no frame has more of is not drawn. */
const leastShown = 0.02;

/** A run from its first step to its last in a few seconds: its loss, and how the map of each head forms. */
export function createRunLoop(record: RunRecord): SVGSVGElement {
  const { options, measurements, places } = record;
  const moments = framesOf(measurements.length).map((i) => record.momentAt(i * measureEvery));
  const width = Math.max(2, options.heads) * (side + gap) - gap;
  const maps = places.map((place) => mapOf(place, record, moments));
  return createLoop(
    width,
    curveHeight + options.layers * (side + titleHeight + gap),
    lossOf(record, moments, width),
    ...maps,
  );
}

function lossOf(
  { measurements }: RunRecord,
  moments: readonly Moment[],
  width: number,
): SVGElement {
  const losses = measurements.map(({ loss }) => loss);
  const x = scaleLinear([0, measurements[measurements.length - 1].step], [0, width]);
  const y = scaleLog([Math.min(...losses), Math.max(...losses)], [curveHeight - 24, 28]);
  const stroke = { fill: 'none', stroke: 'currentColor', 'stroke-width': 2 };
  const points = measurements.map(({ step, loss }): Point => [step, loss]);
  const at = moments.map(({ step }) => Math.round(x(step)));
  const hand = svg('line', {
    y1: 24,
    y2: curveHeight - 20,
    stroke: colourNow('var(--accent)'),
    'stroke-width': 2,
  });
  animate(animate(hand, 'x1', at), 'x2', at);
  const told = moments.map(({ step, measurement: { accuracy } }) =>
    words.loopStep(step, Math.round(100 * accuracy)),
  );
  return svg(
    'g',
    { color: colourNow('var(--ink)') },
    ...animateText(told, { y: 14, 'font-weight': 600 }),
    drawLine(points, x, y, { ...stroke, class: undefined }),
    hand,
  );
}

function mapOf(place: Head, record: RunRecord, moments: readonly Moment[]): SVGElement {
  const { length, places } = record;
  const pitch = side / length;
  const fill = colourNow(headColour(place.head));
  const name = words.enlarged(place);
  const roles = moments.map(({ roles }) => {
    const role = roles[places.indexOf(place)];
    return role === undefined ? words.noRole : shortNameOf(role);
  });
  const maps = moments.map((moment) => record.mapOf(moment, place));
  const cells = range(length).flatMap((query) =>
    range(query + 1).flatMap((key) => {
      const weights = maps.map((map) => shareOf(map[query * length + key]));
      if (Math.max(...weights) < leastShown) return [];
      const cell = { x: key * pitch, y: query * pitch, width: pitch, height: pitch };
      return [animate(svg('rect', cell), 'opacity', weights)];
    }),
  );
  const [x, y] = [
    place.head * (side + gap),
    curveHeight + place.layer * (side + titleHeight + gap),
  ];
  return svg(
    'g',
    { transform: `translate(${x} ${y})` },
    svg('text', { y: 10, 'font-weight': 600, 'font-size': 12, fill }, name),
    ...animateText(roles, { y: 27, 'font-size': 12 }),
    svg(
      'g',
      { transform: `translate(0 ${titleHeight})` },
      svg('path', { d: `M0,0V${side}H${side}Z`, fill: 'none', stroke: fill, opacity: 0.4 }),
      svg('g', { fill }, ...cells),
    ),
  );
}
