import { headColour } from 'headwise/view';
import { ref } from 'lit-html/directives/ref.js';

/** Gives an element the colour of a head, counted from 0, as `--head-colour`. */
export function withHeadColour<Target extends HTMLElement | SVGElement>(
  target: Target,
  head: number,
): Target {
  target.style.setProperty('--head-colour', headColour(head));
  return target;
}

/** The same for an element of a template: the page's policy allows no `style` attributes. */
export const inHeadColour = (head: number): unknown =>
  ref((found) => {
    if (found instanceof HTMLElement) withHeadColour(found, head);
  });
