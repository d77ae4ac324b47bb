import { hideable } from '../../address/hideable.js';
import type { Store } from '../../address/store.js';
import { element } from '../../ui/dom.js';
import { createStage } from '../../ui/stage.js';
import { drawCloseUp } from './close-up.js';
import { createHeadChoice } from './head-choice.js';
import type { Pass } from './pass.js';
import type { FigureState } from './state.js';
import { createStepButtons } from './step-buttons.js';
import { words } from './words.js';

interface NumbersPanel {
  readonly root: HTMLElement;
  draw(pass: Pass, state: FigureState): void;
}

/** A stage of its own, since a step may read and make more numbers than there is room for below the figure. */
export function createNumbersPanel(store: Store<FigureState>): NumbersPanel {
  const title = element('h3', {});
  const buttons = createStepButtons(store);
  const heads = createHeadChoice(store);
  const numbers = element('div', { class: 'figure-numbers' });
  const root = element(
    'section',
    { class: 'figure-numbers-panel' },
    createStage({
      label: words.numbersRail,
      rail: [title, buttons.root, hideable('controls', heads.root)],
      views: [numbers, element('p', { class: 'note figure-note' }, words.note)],
    }),
  );
  return {
    root,
    draw(pass, state) {
      title.textContent = words.enlarged(state.head);
      root.setAttribute('aria-label', words.enlarged(state.head));
      buttons.show(state);
      heads.show(state);
      drawCloseUp(numbers, pass, state.step, state.head - 1);
    },
  };
}
