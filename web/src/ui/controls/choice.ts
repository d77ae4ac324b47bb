import { html, render } from 'lit-html';
import { live } from 'lit-html/directives/live.js';

import type { Store } from '../../address/store.js';
import { element, labelled, marked, newId } from '../dom.js';

interface Choice<Value> {
  readonly root: HTMLElement;
  /** Shows the value, and offers `values` from then on. */
  show(value: Value, values?: readonly Value[]): void;
}

interface Options<Value> {
  readonly label: string;
  /** None for values that are given when they are shown. */
  readonly values?: readonly Value[];
  readonly nameOf: (value: Value) => string;
  readonly onChoose: (value: Value) => void;
}

/** A few values side by side: radio buttons in a row, with the keyboard behaviour of those. */
export function createChoice<Value>(options: Options<Value>): Choice<Value> {
  const group = newId('choice');
  const segments = element('div.segments');
  let offered = options.values ?? [];
  return {
    root: element('fieldset.control', element('legend.control-label', options.label), segments),
    show(shown, values = offered) {
      offered = values;
      render(
        values.map(
          // Firefox would bring back a choice of its own after a reload; the address decides.
          (value) =>
            html`<label class="segment"
              ><input
                type="radio"
                name=${group}
                value=${String(value)}
                autocomplete="off"
                .checked=${live(value === shown)}
                @change=${() => options.onChoose(value)}
              /><span>${marked(options.nameOf(value))}</span></label
            >`,
        ),
        segments,
      );
    },
  };
}

/** One of many values, which may become others. */
export function createSelect<Value extends string | number>(
  options: Options<Value>,
): Choice<Value> {
  const select = element('select', { autocomplete: 'off' });
  let offered = options.values ?? [];
  select.addEventListener('change', () => {
    const chosen = offered.at(select.selectedIndex);
    if (chosen !== undefined) options.onChoose(chosen);
  });
  return {
    root: labelled(options.label, select),
    show(value, values = offered) {
      offered = values;
      render(
        values.map((each) => html`<option value=${each}>${options.nameOf(each)}</option>`),
        select,
      );
      select.selectedIndex = offered.indexOf(value);
    },
  };
}

/** Something that is on or off at once. */
export function createSwitch(label: string, onSwitch: (isOn: boolean) => void) {
  const input = element('input', { type: 'checkbox', role: 'switch', autocomplete: 'off' });
  input.addEventListener('change', () => onSwitch(input.checked));
  return {
    root: element(
      'label.switch',
      input,
      element('span.switch-track', { 'aria-hidden': 'true' }),
      label,
    ),
    show(isOn: boolean): void {
      input.checked = isOn;
    },
  };
}

/** A control for one of the few values of a field of a store: it changes the store and shows what it holds, nothing else. */
export function boundChoice<State extends object, Name extends keyof State & string>(
  store: Store<State>,
  name: Name,
  label: string,
  nameOf: (value: State[Name]) => string = String,
  create: (options: Options<State[Name]>) => Choice<State[Name]> = createChoice,
): HTMLElement {
  const onChoose = (chosen: State[Name]): void =>
    store.change({ [name]: chosen } as unknown as Partial<State>);
  const choice = create({ label, values: store.fields[name].values ?? [], nameOf, onChoose });
  store.follow((state) => choice.show(state[name]));
  return choice.root;
}
