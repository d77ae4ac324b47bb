import { words } from './words.js';

/** One of a few names or numbers. */
export function choiceField<Value extends string | number>(
  name: string,
  values: readonly Value[],
  initial: NoInfer<Value>,
): Field<Value> {
  return {
    ...{ name, initial, values },
    read(written) {
      const known = values.find((value) => String(value) === written);
      if (known !== undefined) return { value: known };
      const correction = words.choice(name, written, values, String(initial));
      return { value: initial, correction };
    },
    write: String,
  };
}

/** Yes or no, written as 1 and 0. */
export function switchField(name: string): Field<boolean> {
  const choice = choiceField(name, ['0', '1'], '0');
  return {
    ...{ name, initial: false },
    read(written) {
      const { value, ...rest } = choice.read(written);
      return { value: value === '1', ...rest };
    },
    write: (value) => (value ? '1' : '0'),
  };
}

/** Of every act. */
export const seedRange = { min: 1, max: 999_999, step: 1 } as const;

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
      return { value, correction: words.number(name, written, min, max, value) };
    },
    write: String,
  };
}

/**
 * A value with a form of its own. What `read` does not know becomes the initial value, and what it reads otherwise than it
 * is written is corrected.
 *
 * @param say the value in a correction, if not as it is written
 */
export function writtenField<Value>(
  name: string,
  initial: Value,
  read: (written: string) => Value | undefined,
  write: (value: Value) => string,
  say = write,
): Field<Value> {
  return {
    ...{ name, initial, write },
    read(written) {
      const value = read(written) ?? initial;
      if (write(value) === written) return { value };
      return { value, correction: words.list(name, written, say(value)) };
    },
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

/** What came of reading a written value: the nearest that there is, and a sentence if it is another. */
export interface Reading<Value> {
  readonly value: Value;
  readonly correction?: string;
}

/** One value of an act's state, and how a parameter of the address writes it. */
export interface Field<Value> {
  /** The name of the parameter. */
  readonly name: string;
  /** Where the act begins; the address leaves it out. */
  readonly initial: Value;
  /** Takes any text; what cannot be taken as it is gives the nearest value and a correction. */
  readonly read: (written: string) => Reading<Value>;
  readonly write: (value: Value) => string;
  /** All that there are, if they are few. */
  readonly values?: readonly Value[];
  /** By default two values are the same if they are written alike. */
  readonly isSame?: (a: Value, b: Value) => boolean;
}

/** A field for each value of a state. */
export type Fields<State> = { readonly [Name in keyof State]: Field<State[Name]> };

/** The state that these fields are of. */
export type StateOf<Given> = {
  readonly [Name in keyof Given]: Given[Name] extends Field<infer Value> ? Value : never;
};

/** A field that may also be undefined, which the address writes as `none`. */
export function optionalField<Value>(field: Field<Value>, none = 'none'): Field<Value | undefined> {
  return {
    name: field.name,
    initial: undefined,
    read: (written) => (written === none ? { value: undefined } : field.read(written)),
    write: (value) => (value === undefined ? none : field.write(value)),
  };
}
