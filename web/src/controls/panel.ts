import { element } from '../dom.js';
import { formatSetting } from '../format.js';
import type { Inputs } from '../inputs/inputs.js';
import { dropoutRange, inputNames, scaleRange, type HeadsState } from '../state/heads-state.js';
import type { Store } from '../state/store.js';
import { text } from '../text/index.js';
import { createActPanel } from './act-panel.js';
import { createChoice } from './choice.js';
import { createInputDetails } from './input-details.js';
import { createSeedField } from './seed-field.js';
import { createNamedSlider } from './slider.js';
import { createSwitch } from './switch.js';

export interface Panel {
  readonly root: HTMLElement;
  show(state: HeadsState): void;
}

/** The controls of the whole layer. They change the store and show what it holds, nothing else. */
export function createPanel(
  store: Store<HeadsState>,
  inputs: Inputs,
  dropTarget: HTMLElement,
): Panel {
  const words = text.controls;
  const input = createChoice({
    label: words.input,
    values: inputNames,
    nameOf: (name) => words.inputs[name],
    onChoose: (chosen) => {
      // Lengths and gates were those of another input.
      store.change({ input: chosen, validLens: [], gates: [] });
    },
  });
  const details = createInputDetails(store, inputs, dropTarget);
  const heads = createChoice<number>({
    label: words.heads,
    values: [],
    nameOf: String,
    onChoose: (chosen) => {
      store.change({ heads: chosen, gates: [] });
    },
  });
  const seed = createSeedField((chosen, origin) => {
    store.change({ seed: chosen }, origin);
  });
  const scale = createNamedSlider({
    label: words.scale,
    range: scaleRange,
    describe: (factor) => `× ${formatSetting(factor)}`,
    onSlide: (factor, origin) => {
      store.change({ scale: factor }, origin);
    },
  });
  const dropout = createNamedSlider({
    label: words.dropout,
    range: dropoutRange,
    describe: formatSetting,
    onSlide: (rate, origin) => {
      store.change({ dropout: rate }, origin);
    },
  });
  const causal = createSwitch(words.causal, (isOn) => {
    store.change({ causal: isOn });
  });
  const contrast = createSwitch(words.contrast, (isOn) => {
    store.change({ contrast: isOn });
  });
  return {
    root: createActPanel(store, {
      act: 'heads',
      label: words.panel,
      controls: [
        input.root,
        details.root,
        heads.root,
        seed.root,
        scale.root,
        dropout.root,
        element('div', { class: 'control switches' }, causal.root, contrast.root),
      ],
    }),
    show(state) {
      input.show(state.input);
      details.show(state);
      heads.show(state.heads, inputs.sizesOf(state).headCounts);
      seed.show(state.seed);
      scale.show(state.scale);
      dropout.show(state.dropout);
      causal.show(state.causal);
      contrast.show(state.contrast);
    },
  };
}
