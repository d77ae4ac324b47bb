import type { Fields } from './field.js';

/**
 * What a change does to the browser's history: `push` adds an entry, `replace` continues the last one
 * (a slider on its way), and `popstate` came from the history itself.
 */
export type Origin = 'push' | 'replace' | 'popstate';

type Listener<State> = (state: State, origin: Origin) => void;

/** A state whose values agree, and a sentence for each that had to change for it. */
export interface Normalized<State> {
  readonly state: State;
  readonly corrections: readonly string[];
}

/** What the address asks of a store, whatever its state is made of. */
export interface Addressed {
  /** Reads `parameters` and returns a sentence for each value that was replaced. */
  readFrom(parameters: URLSearchParams): readonly string[];
  /**
   * Puts what differs from the beginning into `parameters`, and takes out what does not.
   *
   * @param isMoment whether with what only a link to this moment has
   */
  writeTo(parameters: URLSearchParams, isMoment?: boolean): void;
  subscribe(listener: (state: unknown, origin: Origin) => void): void;
}

/** The state of an act; everything else is drawn from what it passes to its listeners. */
export class Store<State extends object> implements Addressed {
  readonly fields: Fields<State>;
  /** What a link to this moment has besides the state: the step that a run has reached. */
  moment: () => Partial<State> = () => ({});
  readonly #normalize: (state: State) => Normalized<State>;
  readonly #initial: State;
  #state: State;
  readonly #listeners: Listener<State>[] = [];

  /**
   * @param normalize for values that depend on each other, such as lengths on an input: every state
   *   passes through it
   */
  constructor(
    fields: Fields<State>,
    normalize: (state: State) => Normalized<State> = (state) => ({ state, corrections: [] }),
  ) {
    this.fields = fields;
    this.#normalize = normalize;
    this.#initial = Object.fromEntries(
      this.#names.map((name) => [name, fields[name].initial]),
    ) as State;
    this.#state = this.#initial;
  }

  get state(): State {
    return this.#state;
  }

  get isInitial(): boolean {
    return this.#isSame(this.#state, this.#initial);
  }

  subscribe(listener: Listener<State>): void {
    this.#listeners.push(listener);
  }

  /** Calls a listener now and after every change. */
  follow(listener: (state: State) => void): void {
    this.subscribe(listener);
    listener(this.#state);
  }

  change(part: Partial<State>, origin: Origin = 'push'): void {
    const { state } = this.#normalize({ ...this.#state, ...part });
    if (this.#isSame(state, this.#state)) return;
    this.#state = state;
    this.#notify(origin);
  }

  reset(): void {
    this.change(this.#initial);
  }

  readFrom(parameters: URLSearchParams): readonly string[] {
    const corrections: string[] = [];
    const read = <Name extends keyof State>(name: Name): [Name, State[Name]] => {
      const field = this.fields[name];
      const written = parameters.get(field.name);
      if (written === null) return [name, field.initial];
      const { value, correction } = field.read(written);
      if (correction !== undefined) corrections.push(correction);
      return [name, value];
    };
    const normalized = this.#normalize(Object.fromEntries(this.#names.map(read)) as State);
    this.change(normalized.state, 'popstate');
    return [...corrections, ...normalized.corrections];
  }

  writeTo(parameters: URLSearchParams, isMoment = false): void {
    const state = isMoment ? { ...this.#state, ...this.moment() } : this.#state;
    for (const name of this.#names) {
      const field = this.fields[name];
      const written = field.write(state[name]);
      if (written === field.write(field.initial)) parameters.delete(field.name);
      else parameters.set(field.name, written);
    }
  }

  #notify(origin: Origin): void {
    for (const listener of this.#listeners) {
      try {
        listener(this.#state, origin);
      } catch (error) {
        // Told as uncaught, but not before the others have followed.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  get #names(): (keyof State)[] {
    return Object.keys(this.fields) as (keyof State)[];
  }

  #isSame(a: State, b: State): boolean {
    return this.#names.every((name) => {
      const { isSame, write } = this.fields[name];
      return isSame?.(a[name], b[name]) ?? write(a[name]) === write(b[name]);
    });
  }
}
