import { attend, type AttentionView } from '../attention.js';
import { createLengthSliders } from '../controls/length-sliders.js';
import { createPanel } from '../controls/panel.js';
import { element } from '../dom.js';
import { createHeadFigure } from '../figure/head-figure.js';
import { formatWeight } from '../format.js';
import type { HeadsState } from '../state/heads-state.js';
import type { Store } from '../state/store.js';
import { text } from '../text/index.js';
import { createFailure } from './failure.js';
import { findLargest } from './largest.js';

/** Part 2: the same layer under the reader's hands. */
export function createHeadsContent(store: Store<HeadsState>): HTMLElement[] {
  const panel = createPanel(store);
  const lengths = createLengthSliders(store);
  const figure = createHeadFigure(text.heads.figure, lengths.roots);
  const summary = element('p', { class: 'reason' });
  const failure = element('div');

  const show = (state: HeadsState): void => {
    panel.show(state);
    lengths.show(state);
    try {
      const view = attend(state);
      figure.draw(view);
      summary.textContent = summarise(state, view);
      failure.replaceChildren();
    } catch (error) {
      // The last maps stay: what went wrong with one setting leaves the others usable.
      failure.replaceChildren(createFailure(error));
    }
  };
  store.subscribe(show);
  show(store.state);
  return [panel.root, failure, summary, figure.root];
}

function summarise(state: HeadsState, { weights, validLens }: AttentionView): string {
  if (validLens.every((length) => length === 0)) return text.heads.nothing;
  if (state.input === 'ones') return text.heads.even;
  const { sample, head, query, key } = findLargest(weights);
  return text.heads.largest({
    sample: sample + 1,
    head: head + 1,
    query: query + 1,
    key: key + 1,
    weight: formatWeight(weights.at(sample, head, query, key)),
  });
}
