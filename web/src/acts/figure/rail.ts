import { hideable } from '../../address/hideable.js';
import type { Store } from '../../address/store.js';
import { boundChoice } from '../../ui/controls/choice.js';
import { element } from '../../ui/dom.js';
import { createGoal } from '../../ui/goal.js';
import { createHeadChoice } from './head-choice.js';
import { type FigureState, maskNames, stepNumbers } from './state.js';
import { createStepButtons } from './step-buttons.js';
import { words } from './words.js';

interface Rail {
  readonly main: readonly HTMLElement[];
  show(state: FigureState): void;
}

/** The goal, the steps, the head in front and the mask. */
export function createRail(store: Store<FigureState>): Rail {
  const goal = createGoal(words.goal.task);
  const buttons = createStepButtons(store);
  const steps = boundChoice(store, 'step', {
    label: words.step,
    values: stepNumbers,
    nameOf: words.stepName,
  });
  const heads = createHeadChoice(store);
  const mask = boundChoice(store, 'mask', {
    label: words.mask,
    values: maskNames,
    nameOf: (name) => words.masks[name],
  });
  return {
    main: [
      goal.root,
      buttons.root,
      element('div', { class: 'figure-steps unseen-labels' }, steps),
      hideable('controls', element('div', { class: 'figure-settings' }, heads.root, mask)),
    ],
    show(state) {
      buttons.show(state);
      heads.show(state);
      goal.show('', false);
      if (state.step === 9) goal.show(words.goal.reached(state.heads), true);
    },
  };
}
