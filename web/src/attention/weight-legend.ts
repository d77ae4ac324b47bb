import { range } from 'd3-array';
import { format } from 'd3-format';
import { scaleLinear } from 'd3-scale';

import { element, newId, setAttributes, svg } from '../ui/dom.js';
import { signedColours } from './colour.js';
import { words } from './words.js';

const formatTick = format('.2~f');

/** The scale of the weights from 0 to 1, and what a masked cell looks like. */
export function createWeightLegend(hatchId: string) {
  const position = scaleLinear([0, 1], [8, 232]);
  const marker = svg('path.legend-marker', { d: 'M0 8 L-4.5 1 H4.5 Z' });
  const scale = createScale({
    span: position.range(),
    stops: range(2).map((offset) => svg('stop.legend-stop', { offset })),
    ticks: position.ticks(4).map(formatTick),
    label: words.legend.label,
  });
  scale.append(marker);
  const swatch = svg(
    'svg.legend-swatch',
    { viewBox: '0 0 20 20', 'aria-hidden': 'true' },
    svg('defs', createHatch(hatchId)),
    svg('rect', { width: 20, height: 20, rx: 2, fill: hatchFill(hatchId) }),
  );
  return {
    root: element(
      'div.legend',
      element('span.legend-name', { 'aria-hidden': 'true' }, words.legend.name),
      scale,
      swatch,
      element('span.legend-name', words.legend.masked),
    ),
    /** Marks a place on the scale, from 0 to 1. */
    mark(share: number | undefined): void {
      setAttributes(marker, {
        'data-shown': share !== undefined,
        transform: share === undefined ? undefined : `translate(${position(share)} 0)`,
      });
    },
  };
}

/** The colours of numbers of both signs; `ends` stand below the most negative one, 0 and the largest. */
export function createSignedScale(ends: readonly string[], label: string): SVGSVGElement {
  const { fill } = signedColours(1);
  const stops = [0, 0.5, 1].map((offset) =>
    svg('stop', { offset, 'stop-color': fill(2 * offset - 1) }),
  );
  return createScale({ span: [36, 228], stops, ticks: ends, label });
}

interface Scale {
  /** Where the ramp begins and ends; the drawing has as much room on either side. */
  readonly span: readonly number[];
  readonly stops: readonly SVGStopElement[];
  /** Labels below the ramp, evenly spaced from end to end. */
  readonly ticks: readonly string[];
  readonly label: string;
}

/** A ramp of colours. */
function createScale({ span: [left = 0, right = 0], stops, ticks, label }: Scale): SVGSVGElement {
  const id = newId('scale');
  const width = right - left;
  return svg(
    'svg.legend-scale',
    { viewBox: `0 0 ${left + right} 36`, role: 'img', 'aria-label': label },
    svg('defs', svg('linearGradient', { id }, ...stops)),
    svg('rect', {
      ...{ class: 'legend-ramp', x: left, y: 9, width, height: 10, rx: 2 },
      fill: `url(#${id})`,
    }),
    ...ticks.map((tick, at) =>
      svg('text.legend-tick', { x: left + (at * width) / (ticks.length - 1), y: 32 }, tick),
    ),
  );
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
    svg('rect.hatch-ground', { width: size, height: size }),
    svg('line.hatch-line', { x1: 0, y1: 0, x2: 0, y2: size }),
  );
}

export function hatchFill(id: string): string {
  return `url(#${id})`;
}
