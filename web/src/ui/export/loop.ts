import { range } from 'd3-array';

import { type Attributes, element, svg } from '../dom.js';

/** How long a loop takes, and its frames: the last one is held. */
const seconds = 6;
const maxFrames = 48;
const held = 12;

/** Places of the frames in a list of so many, evenly spread from the first to the last. */
export function framesOf(length: number): readonly number[] {
  const count = Math.min(maxFrames, length);
  return range(count).map((i) => Math.round((i * (length - 1)) / Math.max(1, count - 1)));
}

/** Lets an attribute take one value a frame, without an end; each stays until the next if `isDiscrete`. */
export function animate<Target extends SVGElement>(
  target: Target,
  attribute: string,
  values: readonly (string | number)[],
  isDiscrete = false,
): Target {
  const last = values[values.length - 1];
  target.setAttribute(attribute, String(last));
  if (values.every((value) => value === last)) return target;
  target.append(
    svg('animate', {
      attributeName: attribute,
      dur: `${seconds}s`,
      repeatCount: 'indefinite',
      calcMode: isDiscrete ? 'discrete' : 'linear',
      values: [...values, ...range(held).map(() => last)].join(';'),
    }),
  );
  return target;
}

/** A text that is another one at some frames. */
export const animateText = (texts: readonly string[], attributes: Attributes): SVGTextElement[] =>
  [...new Set(texts)].map((text) => {
    const values = texts.map((each) => (each === text ? 1 : 0));
    return animate(svg('text', attributes, text), 'opacity', values, true);
  });

/** A share as a file has it: two digits are as fine as a screen can show. */
export const shareOf = (share: number): number => Math.round(100 * share) / 100;

/** A colour of the page, as it is in the present theme: a file has no variables. */
export function colourNow(colour: string): string {
  const probe = element('span');
  probe.style.color = colour;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** A drawing for a loop, in the page's ink and font. */
export function createLoop(
  width: number,
  height: number,
  ...content: readonly SVGElement[]
): SVGSVGElement {
  const { fontFamily } = getComputedStyle(document.body);
  return svg(
    'svg',
    {
      viewBox: `0 0 ${width} ${height}`,
      'font-family': fontFamily,
      'font-size': 14,
      fill: colourNow('var(--ink)'),
    },
    ...content,
  );
}
