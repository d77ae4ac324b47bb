import { range } from 'd3-array';

import { hideable } from '../../address/hideable.js';
import type { Store } from '../../address/store.js';
import { words as mapWords } from '../../attention/words.js';
import { formatSetting } from '../../format/numbers.js';
import { createChoice, createSwitch } from '../../ui/controls/choice.js';
import { createSeedField } from '../../ui/controls/seed-field.js';
import { createNamedSlider, createSlider } from '../../ui/controls/slider.js';
import { element } from '../../ui/dom.js';
import { createInputDetails } from './input-panel.js';
import { inputNames, sizesOf } from './sizes.js';
import { dropoutRange, type HeadsState, scaleRange, validLensOf } from './state.js';
import { userLimits } from './user-data.js';
import { words } from './words.js';

export interface Panel {
  /** What stays in view on a phone. */
  readonly pinned: HTMLElement;
  /** What else most readers change. */
  readonly main: HTMLElement;
  /** The rest. */
  readonly more: HTMLElement;
  show(state: HeadsState): void;
}

/** The controls of the whole layer. They change the store and show what it holds, nothing else. */
export function createPanel(store: Store<HeadsState>, dropTarget: HTMLElement): Panel {
  const input = createChoice({
    label: words.controls.input,
    values: inputNames,
    nameOf: (name) => words.controls.inputs[name],
    onChoose: (chosen) => {
      // Lengths and gates were those of another input.
      store.change({ input: chosen, validLens: [], gates: [], answer: 0 });
    },
  });
  const details = createInputDetails(store, dropTarget);
  const heads = createChoice<number>({
    label: words.controls.heads,
    values: [],
    nameOf: String,
    onChoose: (chosen) => {
      store.change({ heads: chosen, gates: [], answer: 0 });
    },
  });
  const seed = createSeedField((chosen, origin) => {
    // Other seeds plant the patterns in other heads.
    store.change({ seed: chosen, answer: 0 }, origin);
  });
  const scale = createNamedSlider({
    label: words.controls.scale,
    range: scaleRange,
    describe: (factor) => `× ${formatSetting(factor)}`,
    onSlide: (factor, origin) => {
      store.change({ scale: factor }, origin);
    },
  });
  const dropout = createNamedSlider({
    label: words.controls.dropout,
    range: dropoutRange,
    describe: formatSetting,
    onSlide: (rate, origin) => {
      store.change({ dropout: rate }, origin);
    },
  });
  const causal = createSwitch(words.controls.causal, (isOn) => {
    store.change({ causal: isOn });
  });
  const contrast = createSwitch(words.controls.contrast, (isOn) => {
    store.change({ contrast: isOn });
  });
  return {
    pinned: hideable('controls', element('div', { class: 'controls' }, input.root, heads.root)),
    main: hideable('controls', element('div', { class: 'controls' }, details.root, seed.root)),
    more: hideable(
      'controls',
      element(
        'div',
        { class: 'controls' },
        element('div', { class: 'control switches' }, causal.root, contrast.root),
        scale.root,
        dropout.root,
      ),
    ),
    show(state) {
      input.show(state.input);
      details.show(state);
      heads.show(state.heads, sizesOf(state).headCounts);
      seed.show(state.seed);
      scale.show(state.scale);
      dropout.show(state.dropout);
      causal.show(state.causal);
      contrast.show(state.contrast);
    },
  };
}

export interface LengthSliders {
  /** One for each sample that there can be, to stand beside what it changes. */
  readonly roots: readonly HTMLElement[];
  show(state: HeadsState): void;
}

/** How many keys of each sample are valid. */
export function createLengthSliders(store: Store<HeadsState>): LengthSliders {
  let keys = 0;
  const sliders = range(userLimits.batch).map((sample) =>
    createSlider({
      label: words.controls.validLen(sample + 1),
      range: { min: 0, max: userLimits.length, step: 1 },
      describe: (length) => mapWords.sample.validLen(length, keys),
      onSlide: (length, origin) => {
        const validLens = [...validLensOf(store.state)];
        validLens[sample] = length;
        store.change({ validLens }, origin);
      },
    }),
  );
  return {
    roots: sliders.map(({ root }) => hideable('controls', root)),
    show(state) {
      ({ keys } = sizesOf(state));
      validLensOf(state).forEach((length, sample) => {
        sliders[sample]?.show(length, keys);
      });
    },
  };
}
