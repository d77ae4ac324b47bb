// Stories by the grammar and the words beside this file: short and consistent, always the same for a
// seed. grammar.txt explains how they are written.
import { readFileSync } from 'node:fs';

/** @typedef {Record<string, string>} Row a word's columns; `one` is its first */
/** @typedef {Map<string, Row[]>} Tables */
/** @typedef {{ variables: Map<string, Row>, used: Set<Row> }} Story */
/** @typedef {() => number} Random from 0 to below 1 */

const read = (/** @type {string} */ name) =>
  readFileSync(new URL(name, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => !line.startsWith('#'));

/** The facts of facts.txt: the sentences of each topic. */
const facts = read('facts.txt')
  .filter((line) => line !== '')
  .map((line) => line.split(/(?<=[.?]) /));

/** @returns {Tables} */
function readTables() {
  /** @type {Tables} */
  const tables = new Map();
  for (const block of read('words.txt').join('\n').trim().split(/\n\n+/)) {
    const [head = '', ...lines] = block.split('\n');
    const [, name = '', ...columns] = head.split(' ');
    const constants = columns.filter((column) => column.includes('='));
    const names = columns.filter((column) => !column.includes('='));
    const lists = names.length > 1 ? lines.map((line) => line.split(', ')) : [];
    const values =
      names.length > 1
        ? lists
        : lines
            .join(', ')
            .split(', ')
            .map((word) => [word]);
    const rows = values.map((list) => ({
      one: list[0] ?? '',
      ...Object.fromEntries(constants.map((each) => each.split('='))),
      ...Object.fromEntries(names.map((column, i) => [column, list[i] ?? ''])),
    }));
    tables.set(name, rows);
  }
  return tables;
}

/** The lines of each rule, a line as often as it says. */
function readRules() {
  /** @type {Map<string, string[]>} */
  const rules = new Map();
  /** @type {string[]} */
  let lines = [];
  for (const line of read('grammar.txt')) {
    const [, times = '1', text = ''] = /^ {2}(?:(\d+)\*)?(.+)$/.exec(line) ?? [];
    if (text !== '') lines.push(...Array.from({ length: Number(times) }, () => text));
    else if (line.endsWith(':')) rules.set(line.slice(0, -1), (lines = []));
  }
  return rules;
}

/**
 * Numbers by a seed. Source: Tommy Ettinger's mulberry32.
 *
 * @param {number} seed
 * @returns {Random}
 */
export function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const capitalised = (/** @type {string} */ text) => text.charAt(0).toUpperCase() + text.slice(1);

const isCapital = (/** @type {string} */ text) => /^[A-Z]/.test(text);

/** "a apple" as "an apple", and no spaces where nothing was chosen. */
const polished = (/** @type {string} */ text) =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ (?=[.,?!])/g, '')
    .replaceAll(/\b([Aa]) (?=[aeiou](?!ne\b|ni|se|u)|ho(nest|ur))/g, '$1n ')
    .trim();

/**
 * A function that writes the next story of the seed.
 *
 * @param {number} seed
 * @param {Tables} more tables that words.txt does not have
 */
export function storyteller(seed, more) {
  const random = randomNumbers(seed);
  const tables = new Map([...readTables(), ...more]);
  const rules = readRules();

  /** @template T @param {readonly T[]} list */
  const draw = (list) => /** @type {T} */ (list[Math.floor(random() * list.length)]);

  const fact = () =>
    draw(facts)
      .filter((_, i, all) => i === 0 || random() < 0.4 + 4 / all.length)
      .join(' ');

  /** A row that the story does not have yet; of a table that is used up, any. */
  const rowOf = (/** @type {string} */ name, /** @type {Story} */ story) => {
    const rows = tables.get(name) ?? [{ one: expand(name, story) }];
    const fresh = rows.filter((row) => !story.used.has(row));
    const row = draw(fresh.length > 0 ? fresh : rows);
    story.used.add(row);
    return row;
  };

  /** What stands in braces. */
  const insert = (/** @type {string} */ inner, /** @type {Story} */ story) => {
    const [, name = '', silent, names, column = 'one'] =
      /^([\w-]+)(?::(:)?([\w|-]+))?(?:\.([\w-]+))?$/.exec(inner) ?? [];
    const key = name.charAt(0).toLowerCase() + name.slice(1);
    if (names !== undefined) story.variables.set(key, rowOf(draw(names.split('|')), story));
    if (silent !== undefined) return '';
    const row = story.variables.get(key) ?? rowOf(key, story);
    const text = row[column.toLowerCase()];
    if (text === undefined) throw new Error(`{${inner}}: no ${column} of ${row.one}`);
    return isCapital(name) || isCapital(column) ? capitalised(text) : text;
  };

  /** Writes one line of a rule. */
  const expand = (/** @type {string} */ rule, /** @type {Story} */ story) => {
    if (rule === 'fact') return fact();
    const lines = rules.get(rule);
    if (lines === undefined) throw new Error(`no rule or table '${rule}'`);
    /** @type {Map<string, number>} */
    const chosen = new Map();
    let text = draw(lines);
    // Choices first, from the inside out: what is not chosen must not take words.
    for (let group; (group = /\((?:(\d):)?([^()]*)\)/.exec(text)) !== null;) {
      const [whole, label, inner = ''] = group;
      const options = inner.split(/\|(?![^{}]*\})/);
      const number = chosen.get(label ?? '') ?? Math.floor(random() * options.length);
      if (label !== undefined) chosen.set(label, number);
      text = text.replace(whole, () => options[number] ?? '');
    }
    /** @type {string} */
    const written = text.replaceAll(/\{([^{}]+)\}/g, (_, inner) => insert(inner, story));
    return written;
  };

  return () => polished(expand('document', { variables: new Map(), used: new Set() }));
}
