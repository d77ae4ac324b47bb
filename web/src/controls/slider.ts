import { element } from '../dom.js';
import type { Origin } from '../state/store.js';

export interface Slider {
  readonly root: HTMLElement;
  show(value: number): void;
}

interface Options {
  readonly label: string;
  readonly min: number;
  readonly max: number;
  /** The value in words, for those who do not see what it changes. */
  readonly describe: (value: number) => string;
  readonly onSlide: (value: number, origin: Origin) => void;
}

/** A whole number in a small range; what it is and which it is must be told beside it. */
export function createSlider({ label, min, max, describe, onSlide }: Options): Slider {
  const input = element('input', {
    type: 'range',
    class: 'slider',
    min,
    max,
    step: 1,
    autocomplete: 'off',
    'aria-label': label,
  });
  // One drag is one step back in the history, however many values it passed.
  let sliding = false;
  input.addEventListener('input', () => {
    onSlide(input.valueAsNumber, sliding ? 'more' : 'step');
    sliding = true;
  });
  input.addEventListener('change', () => {
    sliding = false;
  });
  return {
    root: input,
    show(value) {
      input.value = String(value);
      input.setAttribute('aria-valuetext', describe(value));
    },
  };
}
