import { element, newId } from '../dom.js';

export interface Choice<Value> {
  readonly root: HTMLElement;
  show(value: Value): void;
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
  const radios = options.values.map((value) => {
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
  const segments = radios.map(({ value, radio }) =>
    element('label', { class: 'segment' }, radio, element('span', {}, options.nameOf(value))),
  );
  return {
    root: element(
      'fieldset',
      { class: 'control' },
      element('legend', { class: 'control-label' }, options.label),
      element('div', { class: 'segments' }, ...segments),
    ),
    show(shown) {
      for (const { value, radio } of radios) radio.checked = value === shown;
    },
  };
}
