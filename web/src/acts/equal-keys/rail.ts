import { hideable } from '../../address/hideable.js';
import type { Store } from '../../address/store.js';
import { createChoice, createSwitch } from '../../ui/controls/choice.js';
import { createSeedField } from '../../ui/controls/seed-field.js';
import { createNamedSlider } from '../../ui/controls/slider.js';
import { element } from '../../ui/dom.js';
import { createOwnNumbers } from './own-numbers.js';
import { inputNames, sizesOf } from './sizes.js';
import { type KeysState, stepsRange, validLenOf } from './state.js';
import { userLimits } from './user-data.js';
import { words } from './words.js';

export interface Rail {
  /** What stays in view on a phone. */
  readonly pinned: HTMLElement;
  readonly main: HTMLElement;
  /** The reader's own numbers, which need more room than the rail has. */
  readonly own: HTMLElement;
}

/** The controls of the act. They change the store and show what it holds. */
export function createRail(store: Store<KeysState>, dropTarget: HTMLElement): Rail {
  const input = createChoice({
    label: words.controls.input,
    values: inputNames,
    nameOf: (name) => words.controls.inputs[name],
    onChoose: (chosen) => {
      store.change({ input: chosen, validLens: [], answer: 0 });
    },
  });
  const heads = createChoice<number>({
    label: words.controls.heads,
    values: [],
    nameOf: String,
    onChoose: (chosen) => {
      store.change({ heads: chosen, answer: 0 });
    },
  });
  const seed = createSeedField((chosen, origin) => {
    // Another seed plants the patterns in other heads.
    store.change({ seed: chosen, answer: 0 }, origin);
  });
  const validLen = createNamedSlider({
    label: words.controls.validLen,
    range: { min: 0, max: userLimits.length, step: 1 },
    describe: (length) => words.controls.validOf(length, sizesOf(store.state).keys),
    onSlide: (length, origin) => {
      store.change({ validLens: [length] }, origin);
    },
  });
  const steps = createNamedSlider({
    label: words.controls.steps,
    range: stepsRange,
    describe: String,
    onSlide: (chosen, origin) => {
      store.change({ steps: chosen }, origin);
    },
  });
  const causal = createSwitch(words.controls.causal, (isOn) => {
    store.change({ causal: isOn });
  });
  const names = createSwitch(words.controls.names, (isOn) => {
    store.change({ names: isOn });
  });
  const own = createOwnNumbers(store, dropTarget);
  const show = (state: KeysState): void => {
    input.show(state.input);
    const { headCounts, keys } = sizesOf(state);
    heads.show(state.heads, headCounts);
    seed.show(state.seed);
    validLen.show(validLenOf(state), keys);
    steps.show(state.steps);
    steps.root.hidden = state.input !== 'ones' && state.input !== 'random';
    causal.show(state.causal);
    names.show(state.names);
    names.root.hidden = state.input !== 'patterns';
    own.root.hidden = state.input !== 'own';
  };
  store.subscribe(show);
  show(store.state);
  return {
    pinned: hideable('controls', element('div', { class: 'controls' }, input.root, heads.root)),
    main: hideable(
      'controls',
      element(
        'div',
        { class: 'controls keys-settings' },
        seed.root,
        steps.root,
        validLen.root,
        element('div', { class: 'control switches' }, causal.root, names.root),
      ),
    ),
    own: hideable('controls', own.root),
  };
}
