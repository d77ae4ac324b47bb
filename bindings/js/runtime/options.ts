import leven from 'leven';
import { classOf, fail, failOption, isFile, show } from './errors.js';

export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null;

/** Whether it is an object other than an array or a typed array. */
export const isRecord = (value: unknown): value is object =>
  isObject(value) && !Array.isArray(value) && !ArrayBuffer.isView(value);

/** Option names of PyTorch, Transformers and TransformerLens, in lower case and without underscores, and ours. */
const ofOthers: ReadonlyMap<string, string> = new Map([
  ['embeddim', 'numHiddens'],
  ['kdim', 'keySize'],
  ['vdim', 'valueSize'],
  ['addbiaskv', 'biasKv'],
  ['addzeroattn', 'zeroAttention'],
  ['needweights', 'returnWeights'],
  ['attnmask', 'mask'],
  ['keypaddingmask', 'keyMask'],
  ['iscausal', 'causal'],
  ['attentionmask', 'keyMask'],
  ['headmask', 'headGate'],
  ['inputids', 'tokens'],
  ['labels', 'targets'],
  ['outputattentions', 'returnWeights'],
  ['incorrecttokens', 'against'],
]);
/** In PyTorch, true in these masks excludes a key. */
const oppositeMasks = ['attnmask', 'keypaddingmask'];
/** PyTorch's options that headwise does not have, and why. */
const withoutOption: ReadonlyMap<string, string> = new Map([
  ['batchfirst', 'inputs are always (batch, length, size)'],
  ['averageattnweights', 'weights are always those of each head'],
]);

/**
 * A hint for an unknown name: another library's name of an option, another spelling, or a name with at most one typo
 * in three letters.
 */
function hintFor(name: string, known: readonly string[]): string {
  const plain = (text: string): string => text.replaceAll('_', '').toLowerCase();
  const given = plain(name);
  const never = withoutOption.get(given);
  if (never !== undefined) {
    return `; ${never}`;
  }
  const other = ofOthers.get(given);
  // A model has headGates where a layer has headGate.
  const ours = known.find((each) => each === other || each === `${other}s`);
  if (ours !== undefined) {
    const opposite = oppositeMasks.includes(given) ? ', in which true is a key to attend to' : '';
    return `; did you mean ${ours}${opposite}?`;
  }
  let [nearest, most]: [string | undefined, number] = [undefined, name.length / 3];
  for (const each of known) {
    const distance = leven(given, plain(each));
    if (distance <= most) {
      [nearest, most] = [each, distance];
    }
  }
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}

/**
 * Checks and copies the given options; undefined becomes `{}`. Reads each value once, because reading may run the
 * caller's code. Unknown options are an error, so that a typo or an option of a later version is never ignored.
 */
export function checkOptions<Options extends object>(
  given: Options | null | undefined,
  known: readonly (keyof Options & string)[],
  argument = 'options',
): Partial<Options> {
  if (given === undefined) {
    return {};
  }
  if (!isRecord(given)) {
    fail('invalid-type', argument, 'an object', show(given));
  }
  for (const name of Object.keys(given)) {
    if (!(known as readonly string[]).includes(name)) {
      const got = name + hintFor(name, known);
      fail('unknown-option', argument, `only ${known.join(', ')}`, got);
    }
  }
  const read: Partial<Options> = {};
  for (const name of known) {
    const value = given[name];
    if (value !== undefined) {
      read[name] = value;
    }
  }
  return read;
}

/**
 * The entries of a plain object, sorted by name; reads only the wanted values. Fails for a Map, an array, a model in
 * place of its state dict, and a file in place of its tensors.
 */
export function entriesOf(
  argument: string,
  value: unknown,
  of: string,
  isWanted: (name: string) => boolean = () => true,
): [string, unknown][] {
  if (
    !isObject(value) ||
    Symbol.iterator in value ||
    isFile(value) ||
    classOf(value) !== undefined
  ) {
    const hint = isObject(value) && 'stateDict' in value ? '; call its stateDict()' : '';
    fail('invalid-type', argument, `an object of ${of} by name`, show(value) + hint);
  }
  const values = value as Readonly<Record<string, unknown>>;
  return Object.keys(values)
    .sort()
    .map((name) => [name, isWanted(name) ? values[name] : undefined]);
}

/** The largest signed 32-bit integer. */
export const largestInteger = 2147483647;

export const isIntegerIn = (
  value: unknown,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): value is number =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= most;

/** Reads an argument with `read`; undefined if it is undefined. */
export const ifGiven = <Read>(
  argument: string,
  value: unknown,
  read: (argument: string, value: unknown) => Read,
): Read | undefined => (value === undefined ? undefined : read(argument, value));

/** Checks the type of an option's value, which may be undefined, and returns it or its default. */
export type Reader<Value> = (argument: string, value: unknown) => Value;

/** Reads options each by its reader. Their values are checked by C++. */
export function readOptions<Readers extends Readonly<Record<string, Reader<unknown>>>>(
  given: object | undefined,
  readers: Readers,
  argument?: string,
): { [Name in keyof Readers]: ReturnType<Readers[Name]> } {
  const names = Object.keys(readers);
  const read = checkOptions(given as Record<string, unknown>, names, argument);
  const prefix = argument === undefined ? '' : `${argument}.`;
  return Object.fromEntries(
    names.map((name) => [name, readers[name](prefix + name, read[name])]),
  ) as ReturnType<typeof readOptions<Readers>>;
}

/** Checks what a function of the caller returned. */
export const returnedNumber = (argument: string, value: unknown): number =>
  typeof value === 'number'
    ? value
    : fail('invalid-type', argument, 'a function that returns a number', show(value));

/** Allows undefined, which stands for the default. */
/* @__NO_SIDE_EFFECTS__ */
export const optional =
  <Value, Default = undefined>(reader: Reader<Value>, byDefault?: Default) =>
  (argument: string, value: unknown): Value | Default =>
    value === undefined ? (byDefault as Default) : reader(argument, value);

/** Reads an object of options. Default: undefined. */
/* @__NO_SIDE_EFFECTS__ */
export const group = <Readers extends Readonly<Record<string, Reader<unknown>>>>(
  readers: Readers,
) => optional((argument, value) => readOptions(value as object, readers, argument));

/* @__NO_SIDE_EFFECTS__ */
const reader =
  <Value>(isOne: (value: unknown) => boolean, expected: string): Reader<Value> =>
  (argument, value) =>
    isOne(value) ? (value as Value) : failOption(argument, expected, value);

/** Reads a number. `expected` is what C++ expects of it. */
/* @__NO_SIDE_EFFECTS__ */
export const number = (expected: string): Reader<number> =>
  reader((value) => typeof value === 'number', expected);

/** Reads an integer that JavaScript has exactly. `expected` is what C++ expects of it. */
/* @__NO_SIDE_EFFECTS__ */
export const whole = (expected = 'an integer from 1 to 2147483647'): Reader<number> =>
  reader(Number.isSafeInteger, expected);

export const flag: Reader<boolean> = reader((value) => typeof value === 'boolean', 'true or false');

/** Reads one of these words. Default: the first, unless another is given. */
/* @__NO_SIDE_EFFECTS__ */
export const word =
  <Word extends string>(words: readonly [Word, ...Word[]], byDefault?: Word): Reader<Word> =>
  (argument, value) =>
    checkWord(argument, value, words, byDefault);

/** Checks a seed: an integer from 0 to 2^53 − 1. Default: a random one. */
export function checkSeed(value: unknown): number {
  return value === undefined
    ? Math.floor(Math.random() * 2 ** 32)
    : isIntegerIn(value, 0)
      ? value
      : // Not by `failOption`, which headwise/worker would need for this alone.
        fail('invalid-option', 'seed', 'an integer from 0 to 9007199254740991', show(value));
}

export const checkBoolean = (argument: string, value: unknown, byDefault: boolean): boolean =>
  ifGiven(argument, value, flag) ?? byDefault;

/** Checks an option with a fixed list of values. Default: the first, unless another is given. */
export function checkWord<Word extends string>(
  argument: string,
  value: unknown,
  words: readonly [Word, ...Word[]],
  byDefault: Word = words[0],
): Word {
  if (value === undefined) {
    return byDefault;
  }
  if (!(words as readonly unknown[]).includes(value)) {
    const quoted = words.map((word) => `'${word}'`);
    const last = quoted.pop() ?? '';
    failOption(argument, `${quoted.join(', ')} or ${last}`, value);
  }
  return value as Word;
}
