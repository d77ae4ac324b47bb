import { range } from 'd3-array';
import { html, render } from 'lit-html';

import { hideable } from '../../address/hideable.js';
import type { Store } from '../../address/store.js';
import { boundChoice, createChoice } from '../../ui/controls/choice.js';
import { element } from '../../ui/dom.js';
import { withHeadColour } from '../../ui/head-colour.js';
import { createGoal } from '../../ui/notices.js';
import { type FigureState, maskNames, stepNumbers } from './state.js';
import { words } from './words.js';

interface Rail {
  readonly main: readonly HTMLElement[];
  show(state: FigureState): void;
}

/** The goal, the steps, the head in front and the mask. */
export function createRail(store: Store<FigureState>): Rail {
  const goal = createGoal(words.goal.task);
  const buttons = element('div', { class: 'buttons', role: 'group', 'aria-label': words.buttons });
  const place = element('p', { class: 'figure-place', 'aria-hidden': 'true' });
  const steps = boundChoice(store, 'step', {
    label: words.step,
    values: stepNumbers,
    nameOf: words.stepName,
  });
  const heads = createChoice<number>({
    label: words.head,
    values: [],
    nameOf: String,
    onChoose: (head) => {
      store.change({ head });
    },
  });
  heads.root.classList.add('figure-heads');
  const mask = boundChoice(store, 'mask', {
    label: words.mask,
    values: maskNames,
    nameOf: (name) => words.masks[name],
  });
  const go = (by: -1 | 1) => () => {
    const next = stepNumbers.find((each) => each === store.state.step + by);
    if (next !== undefined) store.change({ step: next });
  };
  const [back, on] = [go(-1), go(1)];

  return {
    main: [
      goal.root,
      element('div', { class: 'figure-go rail-pinned' }, buttons, place),
      element('div', { class: 'figure-steps unseen-labels' }, steps),
      hideable('controls', element('div', { class: 'figure-settings' }, heads.root, mask)),
    ],
    show(state) {
      // Not `disabled`: that would take the focus away from whoever has just pressed it.
      render(
        html`<button
            type="button"
            aria-disabled=${state.step === 1 ? 'true' : 'false'}
            @click=${back}
          >
            ${words.previous}
          </button>
          <button
            type="button"
            class="primary"
            aria-disabled=${state.step === 9 ? 'true' : 'false'}
            @click=${on}
          >
            ${words.next}
          </button>`,
        buttons,
      );
      place.textContent = words.stepOf(state.step);
      heads.show(
        state.head,
        range(state.heads).map((head) => head + 1),
      );
      heads.root.querySelectorAll<HTMLElement>('.segment').forEach(withHeadColour);
      goal.show('', false);
      if (state.step === 9) goal.show(words.goal.reached(state.heads), true);
    },
  };
}
