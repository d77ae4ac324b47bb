import { initialState, sizes, type ViewState } from '../state/view-state.js';
import type { ViewStore } from '../state/view-store.js';
import { text } from '../text.js';
import { createSlider } from './slider.js';

export interface LengthSliders {
  /** One for each sample, to stand beside what it changes. */
  readonly roots: readonly HTMLElement[];
  show(state: ViewState): void;
}

/** How many keys of each sample are valid. */
export function createLengthSliders(store: ViewStore): LengthSliders {
  const sliders = initialState.validLens.map((_length, sample) =>
    createSlider({
      label: text.controls.validLen(sample + 1),
      min: 0,
      max: sizes.keys,
      describe: (length) => text.sample.validLen(length, sizes.keys),
      onSlide: (length, origin) => {
        const validLens = [...store.state.validLens];
        validLens[sample] = length;
        store.change({ validLens }, origin);
      },
    }),
  );
  return {
    roots: sliders.map(({ root }) => root),
    show(state) {
      sliders.forEach((slider, sample) => {
        slider.show(state.validLens[sample] ?? 0);
      });
    },
  };
}
