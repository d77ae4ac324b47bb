import { range } from 'd3-array';

import { createChoice } from '../controls/choice.js';
import { element } from '../dom.js';
import { createHeadFigure } from '../figure/head-figure.js';
import { formatFraction } from '../format.js';
import { chapterSizes, onesInput, randomInput } from '../inputs/chapter.js';
import { attend, type AttentionView } from '../layer/attention-view.js';
import { hideable } from '../state/hidden.js';
import type { Store } from '../state/store.js';
import { toyInputs, toySettings, type ToyState } from '../state/toy-state.js';
import { text } from '../text/index.js';
import { createFlow } from './flow.js';
import { createGoal } from './goal.js';

/** Part 1: the chapter's call, what came of it, and why. */
export function createToyContent(store: Store<ToyState>): HTMLElement[] {
  const goal = createGoal(text.toy.goal.task);
  const input = createChoice({
    label: text.controls.input,
    values: toyInputs,
    nameOf: (name) => text.controls.inputs[name],
    onChoose: (chosen) => {
      store.change({ input: chosen });
    },
  });
  const flow = element('div');
  const reason = element('p', { class: 'reason' });
  const figure = createHeadFigure({ label: text.toy.figure, name: text.toy.maps });
  const show = (state: ToyState): void => {
    input.show(state.input);
    const isTie = state.input === 'ones';
    const view = attend(isTie ? onesInput() : randomInput(toySettings.seed), {
      ...toySettings,
      validLens: chapterSizes.lens,
    });
    flow.replaceChildren(createFlow(view));
    reason.replaceChildren(...(isTie ? reasonOf(view) : [text.toy.broken]));
    figure.draw(view);
    goal.show(isTie ? '' : text.toy.goal.reached, !isTie);
  };
  store.subscribe(show);
  show(store.state);
  return [
    goal.root,
    hideable('controls', element('div', { class: 'panel' }, input.root)),
    flow,
    reason,
    figure.root,
  ];
}

function reasonOf({ weights }: AttentionView): (string | HTMLElement)[] {
  const [batch = 0, heads = 0] = weights.shape;
  const shares = range(batch).map((sample) =>
    text.toy.share(formatFraction(weights.at(sample, 0, 0, 0)), sample + 1),
  );
  return [element('strong', {}, text.toy.conclusion(heads)), ' ', text.toy.reason(shares)];
}
