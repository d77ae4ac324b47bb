import { range } from 'd3-array';

import type { Store } from '../../address/store.js';
import { createChoice } from '../../ui/controls/choice.js';
import { withHeadColour } from '../../ui/head-colour.js';
import type { FigureState } from './state.js';
import { words } from './words.js';

interface HeadChoice {
  readonly root: HTMLElement;
  show(state: FigureState): void;
}

/** Which head is in front, and has its numbers shown. */
export function createHeadChoice(store: Store<FigureState>): HeadChoice {
  const heads = createChoice<number>({
    label: words.head,
    values: [],
    nameOf: String,
    onChoose: (head) => {
      store.change({ head });
    },
  });
  heads.root.classList.add('figure-heads');
  return {
    root: heads.root,
    show(state) {
      heads.show(
        state.head,
        range(state.heads).map((head) => head + 1),
      );
      heads.root.querySelectorAll<HTMLElement>('.segment').forEach(withHeadColour);
    },
  };
}
