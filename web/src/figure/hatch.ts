import { svg } from '../dom.js';

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
