import { range } from 'd3-array';
import { headColour } from 'headwise/view';

import { svg } from '../../ui/dom.js';
import {
  animate,
  animateText,
  colourNow,
  createLoop,
  framesOf,
  shareOf,
} from '../../ui/export/loop.js';
import { isoLength } from '../../worker/dates.js';
import { leastShown, type Ribbon, ribbonOf } from './ribbon.js';
import type { AlignRecord } from './run.js';
import { shownOf } from './shown.js';
import { words } from './words.js';

const pitch = 40;
const box = 34;
const [keyTop, queryTop] = [40, 200];

/** How the date that is shown was read from step to step: the ribbons of each head, and the answer. */
export function createAlignmentLoop(record: AlignRecord): SVGSVGElement {
  const { text } = record.reading;
  const readings = record.readings.filter(({ reading }) => reading.text === text);
  const frames = framesOf(readings.length).map((i) => ({
    ...shownOf({ ...record, reading: readings[i].reading }),
    step: readings[i].step,
  }));
  const { heads } = record.options;
  const width = Math.max(text.length, isoLength) * pitch;
  const keyX = (key: number): number => (key + 0.5) * pitch;
  const queryX = (query: number): number => (query + 0.5) * (width / isoLength);
  const ribbons = range(heads).flatMap((head) =>
    range(isoLength * text.length).flatMap((at) => {
      const [query, key] = [Math.floor(at / text.length), at % text.length];
      const weights = frames.map(({ weightOf }) => shareOf(weightOf(head, query, key)));
      if (Math.max(...weights) < leastShown) return [];
      const aside = (head - (heads - 1) / 2) * (heads > 2 ? 6 : 9);
      const ribbon: Ribbon = {
        x: queryX(query) + aside,
        from: keyX(key) + aside / 2,
        top: keyTop + box,
        bottom: queryTop,
      };
      const drawn = svg('path', { d: ribbonOf(ribbon), stroke: colourNow(headColour(head)) });
      return [animate(drawn, 'stroke-opacity', weights)];
    }),
  );
  const character = { y: 25, 'font-size': 22, 'text-anchor': 'middle' };
  const boxAt = (x: number, y: number, ...signs: readonly SVGElement[]): SVGElement =>
    svg(
      'g',
      { transform: `translate(${x} ${y})` },
      svg('rect', {
        x: -box / 2,
        width: box,
        height: box,
        rx: 5,
        fill: 'none',
        stroke: colourNow('var(--edge)'),
      }),
      ...signs,
    );
  return createLoop(
    width,
    queryTop + box + 2,
    ...animateText(
      frames.map(({ step }) => words.loopStep(step)),
      { y: 16, 'font-weight': 600 },
    ),
    svg(
      'g',
      { fill: 'none', 'stroke-width': heads > 2 ? 5 : 8, 'stroke-linecap': 'round' },
      ...ribbons,
    ),
    ...Array.from(text, (sign, key) => boxAt(keyX(key), keyTop, svg('text', character, sign))),
    ...range(isoLength).map((query) =>
      boxAt(
        queryX(query),
        queryTop,
        ...animateText(
          frames.map(({ answer }) => answer.charAt(query)),
          character,
        ),
      ),
    ),
  );
}
