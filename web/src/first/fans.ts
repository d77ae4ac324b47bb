import { createHeadsElement } from '../attention/heads-element.js';
import type { Store } from '../address/store.js';
import { builtIn, builtInReading, type Reading } from './reading.js';
import type { FirstState } from './state.js';
import { words } from './words.js';

export interface Fans {
  readonly root: HTMLElement;
  readonly show: (reading: Reading) => void;
}

/** The sentence, and from its chosen word a fan of arcs for each head. */
export function createFans(store: Store<FirstState>): Fans {
  const fans = createHeadsElement({ class: 'first-fans', 'aria-label': words.label });
  fans.names = builtIn.heads.map(({ role }) => words.roles[role]);
  let shown: Reading | undefined;

  function choose({ head, query }: FirstState): void {
    if (shown === undefined) return;
    const { tokens } = shown;
    fans.head = head === 0 ? undefined : head - 1;
    fans.query = query === 0 ? shown.query : Math.min(query, tokens.length) - 1;
  }

  // What the pointer is at comes and goes; what was pressed is in the attributes, and in the address.
  const keep = (): void => {
    const query = Number(fans.getAttribute('query'));
    store.change({
      head: fans.head === undefined ? 0 : fans.head + 1,
      query: query === shown?.query ? 0 : query + 1,
    });
  };
  fans.addEventListener('click', keep);
  fans.addEventListener('keydown', keep);

  const show = (reading: Reading): void => {
    if (reading !== shown) {
      shown = reading;
      fans.weights = reading.weights;
      fans.tokens = reading.tokens;
    }
    choose(store.state);
  };
  store.subscribe(choose);
  show(builtInReading);
  return { root: fans, show };
}
