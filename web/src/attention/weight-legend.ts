import { range } from 'd3-array';
import { format } from 'd3-format';
import { scaleLinear } from 'd3-scale';

import { element, setAttributes, svg } from '../ui/dom.js';
import { words } from './words.js';

export interface WeightLegend {
  readonly root: HTMLElement;
  /** Marks a place on the scale, from 0 to 1. */
  mark(share: number | undefined): void;
  /** Whether the scale ends at 1, or at the largest weight of each head. */
  showContrast(contrast: boolean): void;
}

const bar = { left: 8, top: 9, width: 224, height: 10 } as const;
const tick = format('.2~f');
const percent = format('.0%');

/** The scale of the weights from 0 to 1, and what a masked cell looks like. */
export function createWeightLegend(hatchId: string): WeightLegend {
  const gradientId = `${hatchId}-scale`;
  const position = scaleLinear([0, 1], [bar.left, bar.left + bar.width]);
  const stops = range(2).map((offset) => svg('stop', { class: 'legend-stop', offset }));
  const marker = svg('path', { class: 'legend-marker', d: 'M0 8 L-4.5 1 H4.5 Z' });
  const ticks = position.ticks(4).map((share) => ({
    share,
    label: svg('text', { class: 'legend-tick', x: position(share), y: 32 }, tick(share)),
  }));
  const scale = svg(
    'svg',
    { class: 'legend-scale', viewBox: '0 0 240 36', role: 'img', 'aria-label': words.legend.label },
    svg('defs', {}, svg('linearGradient', { id: gradientId }, ...stops)),
    svg('rect', {
      x: bar.left,
      y: bar.top,
      width: bar.width,
      height: bar.height,
      rx: 2,
      class: 'legend-ramp',
      fill: `url(#${gradientId})`,
    }),
    ...ticks.map(({ label }) => label),
    marker,
  );
  const swatch = svg(
    'svg',
    { class: 'legend-swatch', viewBox: '0 0 20 20', 'aria-hidden': 'true' },
    svg('defs', {}, createHatch(hatchId)),
    svg('rect', { width: 20, height: 20, rx: 2, fill: hatchFill(hatchId) }),
  );
  const name = element('span', { class: 'legend-name', 'aria-hidden': 'true' }, words.legend.name);
  return {
    root: element(
      'div',
      { class: 'legend' },
      name,
      scale,
      swatch,
      element('span', { class: 'legend-name' }, words.legend.masked),
    ),
    mark(share) {
      setAttributes(marker, {
        'data-shown': share !== undefined,
        transform: share === undefined ? undefined : `translate(${position(share)} 0)`,
      });
    },
    showContrast(contrast) {
      name.textContent = contrast ? words.legend.contrastName : words.legend.name;
      scale.setAttribute('aria-label', contrast ? words.legend.contrastLabel : words.legend.label);
      for (const { share, label } of ticks) {
        label.textContent = contrast ? percent(share) : tick(share);
      }
    },
  };
}

/**
 * The pattern of masked cells. Lines in the colours of the page, so that it is no colour of the
 * scale and cannot be taken for a low weight, in light or dark.
 */
export function createHatch(id: string): SVGPatternElement {
  const size = 7;
  return svg(
    'pattern',
    {
      id,
      width: size,
      height: size,
      patternUnits: 'userSpaceOnUse',
      patternTransform: 'rotate(45)',
    },
    svg('rect', { class: 'hatch-ground', width: size, height: size }),
    svg('line', { class: 'hatch-line', x1: 0, y1: 0, x2: 0, y2: size }),
  );
}

export function hatchFill(id: string): string {
  return `url(#${id})`;
}
