import leven from 'leven';
import { fail, isFile, show } from './errors.js';

export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null;

/** An object of named members, rather than a list of numbers. */
export const isRecord = (value: unknown): value is object =>
  isObject(value) && !Array.isArray(value) && !ArrayBuffer.isView(value);

/** PyTorch's names of options, without case and underscores, and ours. */
const ofPyTorch: ReadonlyMap<string, string> = new Map([
  ['embeddim', 'numHiddens'],
  ['kdim', 'keySize'],
  ['vdim', 'valueSize'],
  ['addbiaskv', 'biasKv'],
  ['addzeroattn', 'zeroAttention'],
  ['needweights', 'returnWeights'],
  ['attnmask', 'mask'],
  ['keypaddingmask', 'keyMask'],
  ['iscausal', 'causal'],
]);
/** In PyTorch `true` is a key that is left out. */
const oppositeMasks = ['attnmask', 'keypaddingmask'];
/** Those that there are no options for. */
const withoutOption: ReadonlyMap<string, string> = new Map([
  ['batchfirst', 'inputs are always (batch, length, size)'],
  ['averageattnweights', 'weights are always those of each head'],
]);

/** What was meant by an unknown name: one of PyTorch's, another case, underscores, or a slip in every third letter. */
function hintFor(name: string, known: readonly string[]): string {
  const plain = (text: string): string => text.replaceAll('_', '').toLowerCase();
  const given = plain(name);
  const never = withoutOption.get(given);
  if (never !== undefined) {
    return `; ${never}`;
  }
  const ours = ofPyTorch.get(given);
  if (ours !== undefined && known.includes(ours)) {
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
 * A copy of the given options, {} for undefined: each is asked for once, and here, since asking may run the caller's
 * code. An option that is not known is an error that names it, so that a misspelt or a later version's option never
 * passes silently.
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
 * What an object holds, in the order of the names; values that are not wanted are not looked at. A Map or a list, which
 * have no names, is no such object, nor is a file with its tensors.
 */
export function entriesOf(
  argument: string,
  value: unknown,
  of: string,
  isWanted: (name: string) => boolean = () => true,
): [string, unknown][] {
  if (!isObject(value) || Symbol.iterator in value || isFile(value)) {
    fail('invalid-type', argument, `an object of ${of} by name`, show(value));
  }
  const values = value as Readonly<Record<string, unknown>>;
  return Object.keys(values)
    .sort()
    .map((name) => [name, isWanted(name) ? values[name] : undefined]);
}

/** The largest integer of 32 bits. */
export const largestInteger = 2147483647;

export const isIntegerIn = (
  value: unknown,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): value is number =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= most;

/** An option that is an integer of this range. */
export function checkInteger(
  argument: string,
  value: unknown,
  least: number,
  most = largestInteger,
): number {
  if (!isIntegerIn(value, least, most)) {
    fail('invalid-option', argument, `an integer from ${least} to ${most}`, show(value));
  }
  return value;
}

/** A size option: an integer from 1 to 2^31 − 1. */
export const checkSize = (argument: string, value: unknown): number =>
  checkInteger(argument, value, 1);

/** What `read` makes of an argument, undefined if it was left out. */
export const ifGiven = <Read>(
  argument: string,
  value: unknown,
  read: (argument: string, value: unknown) => Read,
): Read | undefined => (value === undefined ? undefined : read(argument, value));

export function checkBoolean(argument: string, value: unknown, byDefault: boolean): boolean {
  if (value === undefined) {
    return byDefault;
  }
  if (typeof value !== 'boolean') {
    fail('invalid-option', argument, 'true or false', show(value));
  }
  return value;
}

/** An option that is a finite number from 0 on. */
export function checkNonNegative(argument: string, value: unknown): number {
  if (!Number.isFinite(value) || (value as number) < 0) {
    fail('invalid-option', argument, 'a finite number from 0 on', show(value));
  }
  return value as number;
}

/** A seed: an integer from 0 to 2^53 − 1; drawn at random when left out. */
export function checkSeed(value: unknown): number {
  return value === undefined
    ? Math.floor(Math.random() * 2 ** 32)
    : checkInteger('seed', value, 0, Number.MAX_SAFE_INTEGER);
}

/** One of a few words. */
export function checkWord<Word extends string>(
  argument: string,
  value: unknown,
  words: readonly [Word, ...Word[]],
): Word {
  if (value === undefined) {
    return words[0];
  }
  if (!(words as readonly unknown[]).includes(value)) {
    const quoted = words.map((word) => `'${word}'`);
    const last = quoted.pop() ?? '';
    fail('invalid-option', argument, `${quoted.join(', ')} or ${last}`, show(value));
  }
  return value as Word;
}
