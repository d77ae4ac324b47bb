import { ref } from 'lit-html/directives/ref.js';

import { withHeadColour } from '../../ui/head-colour.js';
import type { Head } from '../../worker/heads.js';

/** A directive that gives an element of a template the colour of a head. The page's policy allows no `style` attributes. */
export const inHeadColour = ({ head }: Head): unknown =>
  ref((found) => {
    if (found instanceof HTMLElement) withHeadColour(found, head);
  });
