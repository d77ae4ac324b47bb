import type { AttentionView } from '../layer/attention-view.js';
import { element } from '../dom.js';
import { formatShape } from '../format.js';
import { text } from '../text/index.js';

/** What goes into the layer and what comes out, with the shapes that it really had. */
export function createFlow(view: AttentionView): HTMLElement {
  const words = text.toy.flow;
  const [, heads = 0] = view.weights.shape;
  const [, , hiddens = 0] = view.output.shape;
  return element(
    'dl',
    { class: 'flow', 'aria-label': words.label },
    step(words.queries, formatShape(view.input.queries.shape), words.axes),
    step(words.keys, formatShape(view.input.keys.shape), words.axes),
    step(words.validLens, formatShape(view.validLens), words.perSample),
    step(words.heads, String(heads), words.headSize(hiddens / heads)),
    step(words.output, formatShape(view.output.shape), words.axes, 'flow-output'),
  );
}

function step(name: string, value: string, note: string, kind = ''): HTMLElement {
  return element(
    'div',
    { class: `flow-step ${kind}`.trim() },
    element('dt', {}, name),
    element('dd', { class: 'flow-value' }, value),
    element('dd', { class: 'flow-note' }, note),
  );
}
