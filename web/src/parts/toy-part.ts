import { range } from 'd3-array';

import { attend, type AttentionView } from '../attention.js';
import { element } from '../dom.js';
import { createHeadFigure } from '../figure/head-figure.js';
import { formatFraction } from '../format.js';
import { toyExample } from '../state/heads-state.js';
import { text } from '../text/index.js';
import { createFlow } from './flow.js';

/** Part 1: the chapter's call, what came of it, and why. */
export function createToyContent(): HTMLElement[] {
  const view = attend(toyExample);
  const figure = createHeadFigure(text.toy.figure);
  figure.draw(view);
  return [createFlow(view), createReason(view), figure.root];
}

function createReason({ weights }: AttentionView): HTMLElement {
  const [batch = 0, heads = 0] = weights.shape;
  const shares = range(batch).map((sample) =>
    text.toy.share(formatFraction(weights.at(sample, 0, 0, 0)), sample + 1),
  );
  return element(
    'p',
    { class: 'reason' },
    element('strong', {}, text.toy.conclusion(heads)),
    ' ',
    text.toy.reason(shares),
  );
}
