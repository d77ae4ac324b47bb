import type { Store } from '../state/store.js';
import { createChoice, type ChoiceOptions } from './choice.js';

type Words<Value> = Omit<ChoiceOptions<Value>, 'onChoose'>;

interface Shown<Value> {
  readonly root: HTMLElement;
  show(value: Value, values: readonly Value[]): void;
}

interface Binding<State extends object, Name extends keyof State> extends Words<State[Name]> {
  /** How the values are offered: side by side unless another way is given. */
  readonly as?: (options: ChoiceOptions<State[Name]>) => Shown<State[Name]>;
}

/** A control for one value of a store: it changes the store and shows what it holds, nothing else. */
export function boundChoice<State extends object, Name extends keyof State & string>(
  store: Store<State>,
  name: Name,
  { as: create = createChoice, ...words }: Binding<State, Name>,
): HTMLElement {
  const choice = create({
    ...words,
    onChoose: (chosen) => {
      store.change({ [name]: chosen } as unknown as Partial<State>);
    },
  });
  choice.show(store.state[name], words.values);
  store.subscribe((state) => {
    choice.show(state[name], words.values);
  });
  return choice.root;
}
