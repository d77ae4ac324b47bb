import { headColour } from 'headwise/view';

/** Gives an element the colour of a head, counted from 0, as `--head-colour`. */
export function withHeadColour<Target extends HTMLElement | SVGElement>(
  target: Target,
  head: number,
): Target {
  target.style.setProperty('--head-colour', headColour(head));
  return target;
}
