import { element, setAttributes } from '../dom.js';
import { headCounts, inputs, type HeadsState } from '../state/heads-state.js';
import type { Store } from '../state/store.js';
import { text } from '../text/index.js';
import { createChoice } from './choice.js';
import { createSeedField } from './seed-field.js';

export interface Panel {
  readonly root: HTMLElement;
  show(state: HeadsState): void;
}

/** The controls of the whole layer. They change the store and show what it holds, nothing else. */
export function createPanel(store: Store<HeadsState>): Panel {
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
    store.reset();
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
        'aria-disabled': store.isInitial ? 'true' : undefined,
      });
    },
  };
}
