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
  /** Two values are the same if they are written alike. */
  readonly write: (value: Value) => string;
}

/** A field for each value of a state. */
export type Fields<State> = { readonly [Name in keyof State]: Field<State[Name]> };

/** Where an act begins. */
export function initialState<State extends object>(fields: Fields<State>): State {
  const all: Readonly<Record<string, { readonly initial: unknown }>> = fields;
  return Object.fromEntries(
    Object.entries(all).map(([name, { initial }]) => [name, initial]),
  ) as State;
}
