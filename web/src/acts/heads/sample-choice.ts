import { range } from 'd3-array';

import type { Store } from '../../address/store.js';
import { createChoice } from '../../ui/controls/choice.js';
import type { HeadsState } from './state.js';
import { words } from './words.js';

interface SampleChoice {
  readonly root: HTMLElement;
  show(samples: number): void;
}

/** The sample that a stage shows; not there where there is only one. */
export function createSampleChoice(store: Store<HeadsState>): SampleChoice {
  const choice = createChoice<number>({
    label: words.controls.sample,
    values: [],
    nameOf: String,
    onChoose: (sample) => {
      store.change({ sample });
    },
  });
  return {
    root: choice.root,
    show(samples) {
      choice.root.hidden = samples < 2;
      choice.show(
        store.state.sample,
        range(samples).map((sample) => sample + 1),
      );
    },
  };
}
