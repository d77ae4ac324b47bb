import { text } from '../text/index.js';
import { cutTo } from '../text/words.js';
import type { Field } from './field.js';

/** One of a few names or numbers. */
export function choiceField<Value extends string | number>(
  name: string,
  values: readonly Value[],
  initial: NoInfer<Value>,
): Field<Value> {
  return {
    name,
    initial,
    read(written) {
      const known = values.find((value) => String(value) === written);
      if (known !== undefined) return { value: known };
      const correction = text.corrections.choice(name, written, values, String(initial));
      return { value: initial, correction };
    },
    write: String,
  };
}

/** Yes or no, written as 1 and 0. */
export function switchField(name: string, initial = false): Field<boolean> {
  const choice = choiceField(name, ['0', '1'], initial ? '1' : '0');
  return {
    name,
    initial,
    read(written) {
      const { value, ...rest } = choice.read(written);
      return { value: value === '1', ...rest };
    },
    write: (value) => (value ? '1' : '0'),
  };
}

export interface NumberRange {
  readonly min: number;
  readonly max: number;
  /** Every number in the range is a whole multiple of it. */
  readonly step: number;
}

/** A number in a range. */
export function numberField(name: string, range: NumberRange, initial: number): Field<number> {
  const { min, max } = range;
  return {
    name,
    initial,
    read(written) {
      const value = nearest(plainNumber(written) ?? initial, range);
      if (String(value) === written) return { value };
      return { value, correction: text.corrections.number(name, written, min, max, value) };
    },
    write: String,
  };
}

/** Numbers separated by commas; how many there are, and between which, is for the store to settle. */
export function numberListField(
  name: string,
  initial: readonly number[] = [],
): Field<readonly number[]> {
  return {
    name,
    initial,
    read(written) {
      const value = written === '' ? [] : written.split(',').map(plainNumber);
      if (value.every((number) => number !== undefined)) return { value };
      const correction = text.corrections.list(name, written, initial.join(', '));
      return { value: initial, correction };
    },
    write: (value) => value.join(),
  };
}

/** Any words, up to a length. */
export function textField(name: string, longest: number, initial = ''): Field<string> {
  return {
    name,
    initial,
    read(written) {
      if (written.length <= longest) return { value: written };
      return {
        value: cutTo(written, longest),
        correction: text.corrections.text(name, longest),
      };
    },
    write: (value) => value,
  };
}

/** The number of the range that is nearest to `value`. */
export function nearest(value: number, { min, max, step }: NumberRange): number {
  // Division by a whole number keeps decimals short: 7 / 20 is 0.35, 7 · 0.05 is not.
  const perUnit = Math.max(1, Math.round(1 / step));
  const stepped = Math.round(value * perUnit) / perUnit;
  return Math.min(Math.max(stepped, min), max);
}

function plainNumber(written: string): number | undefined {
  return /^-?\d{1,15}(\.\d{1,15})?$/.test(written) ? Number(written) : undefined;
}
