import { range } from 'd3-array';
import { format } from 'd3-format';
import { scaleLinear } from 'd3-scale';

import { colourOfWeight } from '../colour.js';
import { element, setAttributes, svg } from '../dom.js';
import { text } from '../text/index.js';
import { createHatch, hatchFill } from './hatch.js';

export interface Legend {
  readonly root: HTMLElement;
  /** Marks a weight on the scale. */
  mark(weight: number | undefined): void;
}

const bar = { left: 8, top: 9, width: 224, height: 10 } as const;
const tick = format('.2~f');

/** The scale of the weights from 0 to 1, and what a masked cell looks like. */
export function createLegend(hatchId: string): Legend {
  const gradientId = `${hatchId}-scale`;
  const position = scaleLinear([0, 1], [bar.left, bar.left + bar.width]);
  const stops = range(21).map((step) =>
    svg('stop', { offset: step / 20, 'stop-color': colourOfWeight(step / 20) }),
  );
  const marker = svg('path', { class: 'legend-marker', d: 'M0 8 L-4.5 1 H4.5 Z' });
  const scale = svg(
    'svg',
    { class: 'legend-scale', viewBox: '0 0 240 36', role: 'img', 'aria-label': text.legend.label },
    svg('defs', {}, svg('linearGradient', { id: gradientId }, ...stops)),
    svg('rect', {
      x: bar.left,
      y: bar.top,
      width: bar.width,
      height: bar.height,
      rx: 2,
      fill: `url(#${gradientId})`,
    }),
    ...position
      .ticks(4)
      .map((weight) =>
        svg('text', { class: 'legend-tick', x: position(weight), y: 32 }, tick(weight)),
      ),
    marker,
  );
  const swatch = svg(
    'svg',
    { class: 'legend-swatch', viewBox: '0 0 20 20', 'aria-hidden': 'true' },
    svg('defs', {}, createHatch(hatchId)),
    svg('rect', { width: 20, height: 20, rx: 2, fill: hatchFill(hatchId) }),
  );
  return {
    root: element(
      'div',
      { class: 'legend' },
      element('span', { class: 'legend-name', 'aria-hidden': 'true' }, text.legend.name),
      scale,
      swatch,
      element('span', { class: 'legend-name' }, text.legend.masked),
    ),
    mark(weight) {
      setAttributes(marker, {
        'data-shown': weight !== undefined,
        transform: weight === undefined ? undefined : `translate(${position(weight)} 0)`,
      });
    },
  };
}
