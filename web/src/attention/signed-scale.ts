import { newId, svg } from '../ui/dom.js';
import { signedColours } from './colour.js';

interface Options {
  /** What stands below its left end, its middle and its right end. */
  readonly ends: readonly string[];
  readonly label: string;
}

/** The colours of numbers of both signs, from the most negative one to the largest. */
export function createSignedScale({ ends, label }: Options): SVGSVGElement {
  const gradientId = newId('signed');
  const { fill } = signedColours(1);
  return svg(
    'svg',
    { class: 'legend-scale', viewBox: '0 0 264 36', role: 'img', 'aria-label': label },
    svg(
      'defs',
      {},
      svg(
        'linearGradient',
        { id: gradientId },
        ...[0, 0.5, 1].map((offset) => svg('stop', { offset, 'stop-color': fill(2 * offset - 1) })),
      ),
    ),
    svg('rect', {
      x: 36,
      y: 9,
      width: 192,
      height: 10,
      rx: 2,
      class: 'legend-ramp',
      fill: `url(#${gradientId})`,
    }),
    ...ends.map((end, at) => svg('text', { class: 'legend-tick', x: 36 + 96 * at, y: 32 }, end)),
  );
}
