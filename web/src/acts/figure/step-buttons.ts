import { html, nothing, render } from 'lit-html';

import type { Store } from '../../address/store.js';
import { element } from '../../ui/dom.js';
import { type FigureState, stepNumbers } from './state.js';
import { words } from './words.js';

interface StepButtons {
  readonly root: HTMLElement;
  show(state: FigureState): void;
}

/** One step back or on, and the name of the shown one; in view as long as what they change. */
export function createStepButtons(store: Store<FigureState>): StepButtons {
  const buttons = element('div', { class: 'buttons', role: 'group', 'aria-label': words.buttons });
  const place = element('p', { class: 'figure-place', 'aria-hidden': 'true' });
  const go = (by: -1 | 1) => () => {
    const next = stepNumbers.find((each) => each === store.state.step + by);
    if (next !== undefined) store.change({ step: next });
  };
  const [back, on] = [go(-1), go(1)];
  return {
    root: element('div', { class: 'figure-go rail-pinned' }, buttons, place),
    show({ step }) {
      // Not `disabled`: that would take the focus away from whoever has just pressed it.
      render(
        html`<button type="button" aria-disabled=${step === 1 ? 'true' : nothing} @click=${back}>
            ${words.previous}
          </button>
          <button
            type="button"
            class="primary"
            aria-disabled=${step === 9 ? 'true' : nothing}
            @click=${on}
          >
            ${words.next}
          </button>`,
        buttons,
      );
      place.textContent = words.stepOf(step);
    },
  };
}
