import { element } from '../dom.js';

export interface Switch {
  readonly root: HTMLElement;
  show(isOn: boolean): void;
}

/** Something that is on or off at once. */
export function createSwitch(label: string, onSwitch: (isOn: boolean) => void): Switch {
  const input = element('input', { type: 'checkbox', role: 'switch', autocomplete: 'off' });
  input.addEventListener('change', () => {
    onSwitch(input.checked);
  });
  return {
    root: element(
      'label',
      { class: 'switch' },
      input,
      element('span', { class: 'switch-track', 'aria-hidden': 'true' }),
      label,
    ),
    show(isOn) {
      input.checked = isOn;
    },
  };
}
