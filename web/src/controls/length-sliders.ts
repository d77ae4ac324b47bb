import { range } from 'd3-array';

import { sizes, validLensOf, type HeadsState } from '../state/heads-state.js';
import type { Store } from '../state/store.js';
import { text } from '../text/index.js';
import { createSlider } from './slider.js';

export interface LengthSliders {
  /** One for each sample, to stand beside what it changes. */
  readonly roots: readonly HTMLElement[];
  show(state: HeadsState): void;
}

/** How many keys of each sample are valid. */
export function createLengthSliders(store: Store<HeadsState>): LengthSliders {
  const sliders = range(sizes.batch).map((sample) =>
    createSlider({
      label: text.controls.validLen(sample + 1),
      min: 0,
      max: sizes.keys,
      describe: (length) => text.sample.validLen(length, sizes.keys),
      onSlide: (length, origin) => {
        const validLens = [...validLensOf(store.state)];
        validLens[sample] = length;
        store.change({ validLens }, origin);
      },
    }),
  );
  return {
    roots: sliders.map(({ root }) => root),
    show(state) {
      validLensOf(state).forEach((length, sample) => {
        sliders[sample]?.show(length);
      });
    },
  };
}
