import { hideable } from '../../address/hideable.js';
import type { Store } from '../../address/store.js';
import { createChoice, createSwitch } from '../../ui/controls/choice.js';
import { boundSeed } from '../../ui/controls/seed-field.js';
import { createNamedSlider } from '../../ui/controls/slider.js';
import { element } from '../../ui/dom.js';
import { words as uiWords } from '../../ui/words.js';
import { createOwnNumbers } from './own-numbers.js';
import { inputNames, keysOf, type KeysState, stepsRange, validLenOf } from './state.js';
import { userLimits } from './user-data.js';
import { words } from './words.js';

/** The controls of the act. They change the store and show what it holds. */
export function createRail(store: Store<KeysState>, dropTarget: HTMLElement) {
  const input = createChoice({
    label: words.controls.input,
    values: inputNames,
    nameOf: (name) => words.controls.inputs[name],
    onChoose: (chosen) => store.change({ input: chosen, validLen: undefined, answer: 0 }),
  });
  const heads = createChoice<number>({
    label: uiWords.controls.heads,
    values: store.fields.heads.values ?? [],
    nameOf: String,
    onChoose: (chosen) => store.change({ heads: chosen, answer: 0 }),
  });
  const validLen = createNamedSlider({
    label: words.controls.validLen,
    range: { min: 0, max: userLimits.length, step: 1 },
    describe: (length) => uiWords.of(length, keysOf(store.state).keys),
    onSlide: (length, origin) => store.change({ validLen: length }, origin),
  });
  const steps = createNamedSlider({
    label: words.controls.steps,
    range: stepsRange,
    describe: String,
    onSlide: (chosen, origin) => store.change({ steps: chosen }, origin),
  });
  const causal = createSwitch(words.controls.causal, (isOn) => store.change({ causal: isOn }));
  const names = createSwitch(words.controls.names, (isOn) => store.change({ names: isOn }));
  const own = createOwnNumbers(store, dropTarget);
  store.follow((state) => {
    input.show(state.input);
    heads.show(state.heads);
    validLen.show(validLenOf(state), keysOf(state).keys);
    steps.show(state.steps);
    steps.root.hidden = state.input !== 'ones' && state.input !== 'random';
    causal.show(state.causal);
    names.show(state.names);
    names.root.hidden = state.input !== 'patterns';
    own.hidden = state.input !== 'own';
  });
  const switches = element('div.control.switches', causal.root, names.root);
  // Another seed plants the patterns in other heads.
  const settings = [boundSeed(store, { answer: 0 }), steps.root, validLen.root, switches];
  return {
    /** What stays in view on a phone. */
    pinned: hideable('controls', element('div.controls', input.root, heads.root)),
    main: hideable('controls', element('div.controls.keys-settings', ...settings)),
    /** The reader's own numbers, which need more room than the rail has. */
    own: hideable('controls', own),
  };
}
