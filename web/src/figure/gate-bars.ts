import { max } from 'd3-array';
import { scaleLinear } from 'd3-scale';

import { setAttributes, svg } from '../dom.js';
import { formatShare } from '../format.js';
import type { AttentionView } from '../layer/attention-view.js';
import type { GateEffect } from '../layer/gate-effect.js';
import { text } from '../text/index.js';
import { namesOf } from './names.js';

export interface GateBars {
  readonly drawing: SVGSVGElement;
  draw(view: AttentionView, effect: GateEffect): void;
}

const width = 360;
const left = 76;
const right = 52;
const row = 20;
const space = 10;

/** A bar a query: how far the gates move its output. */
export function createGateBars(): GateBars {
  const drawing = svg('svg', { class: 'gate-bars', role: 'img' });
  return {
    drawing,
    draw(view, { queries }) {
      // The scale ends at the whole output, unless a difference is larger than that.
      const largest = Math.max(1, max(queries.flat()) ?? 0);
      const x = scaleLinear([0, largest], [0, width - left - right]);
      let y = 0;
      const words: string[] = [];
      const bars = queries.flatMap((shares, sample) => {
        const names = namesOf(view, sample).queries;
        const title = svg(
          'text',
          { class: 'bar-sample', x: left, y: y + row / 2 },
          text.sample.name(sample + 1),
        );
        y += row;
        const drawn = shares.map((share, query) => {
          const name = names[query] ?? '';
          words.push(text.gates.bar(sample + 1, name, formatShare(share)));
          const bar = svg(
            'g',
            { transform: `translate(0 ${y})` },
            svg('text', { class: 'bar-name', x: left - 8, y: row / 2 }, name),
            svg('rect', { class: 'bar-track', x: left, y: 4, width: x(largest), height: row - 8 }),
            svg('rect', { class: 'bar', x: left, y: 4, width: x(share), height: row - 8 }),
            svg(
              'text',
              { class: 'bar-value', x: width - right + 6, y: row / 2 },
              formatShare(share),
            ),
          );
          y += row;
          return bar;
        });
        y += space;
        return [title, ...drawn];
      });
      setAttributes(drawing, {
        viewBox: `0 0 ${width} ${Math.max(y - space, 0)}`,
        'aria-label': `${text.gates.chart}. ${words.join('. ')}`,
      });
      drawing.replaceChildren(...bars);
    },
  };
}
