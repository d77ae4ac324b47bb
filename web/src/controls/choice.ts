import { element, newId } from '../dom.js';

export interface Choice<Value> {
  readonly root: HTMLElement;
  /** Shows the value, and offers `values` from then on. */
  show(value: Value, values?: readonly Value[]): void;
}

export interface ChoiceOptions<Value> {
  readonly label: string;
  readonly values: readonly Value[];
  readonly nameOf: (value: Value) => string;
  readonly onChoose: (value: Value) => void;
}

/** A few values side by side: radio buttons in a row, with the keyboard behaviour of those. */
export function createChoice<Value>(options: ChoiceOptions<Value>): Choice<Value> {
  const group = newId('choice');
  const segments = element('div', { class: 'segments' });
  let radios: readonly { readonly value: Value; readonly radio: HTMLInputElement }[] = [];

  function offer(values: readonly Value[]): void {
    radios = values.map((value) => {
      const radio = element('input', {
        type: 'radio',
        name: group,
        value: String(value),
        // Firefox would bring back a choice of its own after a reload; the address decides.
        autocomplete: 'off',
      });
      radio.addEventListener('change', () => {
        options.onChoose(value);
      });
      return { value, radio };
    });
    segments.replaceChildren(
      ...radios.map(({ value, radio }) =>
        element('label', { class: 'segment' }, radio, element('span', {}, options.nameOf(value))),
      ),
    );
  }

  offer(options.values);
  return {
    root: element(
      'fieldset',
      { class: 'control' },
      element('legend', { class: 'control-label' }, options.label),
      segments,
    ),
    show(shown, values) {
      const isOther = values?.join() !== radios.map(({ value }) => value).join();
      if (values !== undefined && isOther) offer(values);
      for (const { value, radio } of radios) radio.checked = value === shown;
    },
  };
}
