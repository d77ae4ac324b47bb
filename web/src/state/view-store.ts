import { sameState, type ViewState } from './view-state.js';

/**
 * Where a change came from, which decides what it does to the browser's history: a `step` can be
 * taken back alone, `more` continues the last step (a slider on its way), `address` came from the
 * history itself.
 */
export type Origin = 'step' | 'more' | 'address';

type Listener = (state: ViewState, origin: Origin) => void;

/** The one holder of the state; everything else is drawn from what it tells its listeners. */
export class ViewStore {
  #state: ViewState;
  readonly #listeners: Listener[] = [];

  constructor(initial: ViewState) {
    this.#state = initial;
  }

  get state(): ViewState {
    return this.#state;
  }

  subscribe(listener: Listener): void {
    this.#listeners.push(listener);
  }

  change(part: Partial<ViewState>, origin: Origin = 'step'): void {
    const next = { ...this.#state, ...part };
    if (sameState(next, this.#state)) return;
    this.#state = next;
    for (const listener of this.#listeners) listener(next, origin);
  }
}
