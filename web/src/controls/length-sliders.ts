import { range } from 'd3-array';

import type { Inputs } from '../inputs/inputs.js';
import { largestOwn } from '../inputs/own-numbers.js';
import { validLensOf, type HeadsState } from '../state/heads-state.js';
import { hideable } from '../state/hidden.js';
import type { Store } from '../state/store.js';
import { text } from '../text/index.js';
import { createSlider } from './slider.js';

export interface LengthSliders {
  /** One for each sample that there can be, to stand beside what it changes. */
  readonly roots: readonly HTMLElement[];
  show(state: HeadsState): void;
}

/** How many keys of each sample are valid. */
export function createLengthSliders(store: Store<HeadsState>, inputs: Inputs): LengthSliders {
  let keys = 0;
  const sliders = range(largestOwn.batch).map((sample) =>
    createSlider({
      label: text.controls.validLen(sample + 1),
      range: { min: 0, max: largestOwn.length, step: 1 },
      describe: (length) => text.sample.validLen(length, keys),
      onSlide: (length, origin) => {
        const validLens = [...validLensOf(store.state, inputs)];
        validLens[sample] = length;
        store.change({ validLens }, origin);
      },
    }),
  );
  return {
    roots: sliders.map(({ root }) => hideable('controls', root)),
    show(state) {
      ({ keys } = inputs.sizesOf(state));
      validLensOf(state, inputs).forEach((length, sample) => {
        sliders[sample]?.show(length, keys);
      });
    },
  };
}
