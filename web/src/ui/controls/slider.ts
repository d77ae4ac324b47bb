import type { NumberRange } from '../../address/field.js';
import type { Origin } from '../../address/store.js';
import { element, labelled, originsOf } from '../dom.js';

interface Options {
  readonly label: string;
  readonly range: NumberRange;
  /** The value in words, for those who do not see what it changes. */
  readonly describe: (value: number) => string;
  readonly onSlide: (value: number, origin: Origin) => void;
}

/** A number in a small range, without a visible name or value. */
export function createSlider(options: Options) {
  const { label, range, describe, onSlide } = options;
  const input = element('input.slider', {
    type: 'range',
    ...range,
    autocomplete: 'off',
    'aria-label': label,
  });
  const origin = originsOf(input);
  const showShare = (): void => {
    const [min, max] = [Number(input.min), Number(input.max)];
    const share = max > min ? (input.valueAsNumber - min) / (max - min) : 0;
    input.style.setProperty('--share', String(share));
  };
  input.addEventListener('input', () => {
    showShare();
    onSlide(input.valueAsNumber, origin());
  });
  return {
    root: input,
    show: (value: number, max = range.max): void => {
      input.max = String(max);
      input.value = String(value);
      showShare();
      input.setAttribute('aria-valuetext', describe(value));
    },
  };
}

/** A slider with its name above it and its value beside it. */
export function createNamedSlider(options: Options) {
  const { root: input, show } = createSlider(options);
  // The visible label is the name.
  input.removeAttribute('aria-label');
  // No `output`: screen readers have the value from the slider, and would read it twice.
  const value = element('span.slider-value', { 'aria-hidden': 'true' });
  return {
    root: labelled(options.label, input, element('div.slider-row', input, value)),
    show(shown: number, max?: number): void {
      show(shown, max);
      value.textContent = options.describe(shown);
    },
  };
}
