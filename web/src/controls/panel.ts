import { element, setAttributes } from '../dom.js';
import {
  headCounts,
  initialState,
  inputs,
  sameState,
  type ViewState,
} from '../state/view-state.js';
import type { ViewStore } from '../state/view-store.js';
import { text } from '../text.js';
import { createChoice } from './choice.js';
import { createSeedField } from './seed-field.js';

export interface Panel {
  readonly root: HTMLElement;
  show(state: ViewState): void;
}

/** The controls of the whole layer. They change the store and show what it holds, nothing else. */
export function createPanel(store: ViewStore): Panel {
  const input = createChoice({
    label: text.controls.input,
    values: inputs,
    nameOf: (name) => text.controls.inputs[name],
    onChoose: (chosen) => {
      store.change({ input: chosen });
    },
  });
  const heads = createChoice<number>({
    label: text.controls.heads,
    values: headCounts,
    nameOf: String,
    onChoose: (chosen) => {
      store.change({ heads: chosen });
    },
  });
  const seed = createSeedField((chosen, origin) => {
    store.change({ seed: chosen }, origin);
  });
  const reset = element('button', { type: 'button', class: 'reset' }, text.controls.reset);
  reset.addEventListener('click', () => {
    store.change(initialState);
  });
  return {
    root: element(
      'div',
      { class: 'panel', role: 'group', 'aria-label': text.controls.panel },
      input.root,
      heads.root,
      seed.root,
      reset,
    ),
    show(state) {
      input.show(state.input);
      heads.show(state.heads);
      seed.show(state.seed);
      // Not `disabled`: that would take the focus away from whoever has just pressed it.
      setAttributes(reset, {
        'aria-disabled': sameState(state, initialState) ? 'true' : undefined,
      });
    },
  };
}
