// A small model that learns to end sentences like "When Ann and Bob went to the shop, Ann gave a book to" with Bob: the
// indirect object. Its tokens are words.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { range } from 'd3-array';
import { randomLcg } from 'd3-random';
import { loadSafetensors, saveSafetensors, Transformer } from 'headwise';

const names = (
  'Ann Bob Carl Dora Emma Fred Gina Hugo Iris Jack Kate Liam Mary Nick Olga Paul Rosa Sam Tina Will ' +
  'Ada Ben Clara Dan Eva Felix Grace Henry Ida Jon Kim Leo Mia Noah Otto Pia Ruth Simon Theo Vera'
).split(' ');
const lists = {
  open: ['When', 'After', 'While'],
  place: ['shop', 'park', 'school', 'station', 'beach', 'office'],
  verb: ['gave', 'handed', 'passed'],
  thing: ['book', 'ball', 'drink', 'ring', 'letter', 'flower'],
};
const words = [
  '|',
  ...Object.values(lists).flat(),
  ...['and', 'went', 'to', 'the', ',', 'a'],
  ...names,
];
const tokenOf = new Map(words.map((word, i) => [word, i]));

/** Where both names are first, where the subject is again, and the last word before the answer. */
export const places = { first: 2, second: 4, subject: 10, end: 14 };

/**
 * Sentences without their last word: the tokens of each, and of its indirect object, its subject, and a name that is not
 * in it.
 *
 * @typedef {{ tokens: number[][], objects: number[], subjects: number[], absent: number[] }} Sentences
 */

/**
 * @param {number} count
 * @param {() => number} random
 * @returns {Sentences}
 */
export function drawSentences(count, random) {
  const pick = (/** @type {string[]} */ list) => list[Math.floor(random() * list.length)];
  const drawn = range(count).map(() => {
    const first = pick(names);
    const second = pick(names.filter((name) => name !== first));
    const absent = pick(names.filter((name) => name !== first && name !== second));
    const [subject, object] = random() < 0.5 ? [first, second] : [second, first];
    const { open, place, verb, thing } = lists;
    const text =
      `| ${pick(open)} ${first} and ${second} went to the ${pick(place)} , ` +
      `${subject} ${pick(verb)} a ${pick(thing)} to ${object} ${subject} ${absent}`;
    return text.split(' ').map((word) => tokenOf.get(word) ?? 0);
  });
  return {
    tokens: drawn.map((row) => row.slice(0, -3)),
    objects: drawn.map((row) => row[row.length - 3]),
    subjects: drawn.map((row) => row[row.length - 2]),
    absent: drawn.map((row) => row[row.length - 1]),
  };
}

/**
 * The same sentences about the other person: the subject's second mention is the other name.
 *
 * @param {Sentences} sentences
 * @returns {Sentences}
 */
export const swapped = ({ tokens, objects, subjects, absent }) => ({
  tokens: tokens.map((row, i) =>
    row.map((token, place) => (place === places.subject ? objects[i] : token)),
  ),
  ...{ objects: subjects, subjects: objects, absent },
});

/** Without feed-forward layers: whatever the model does, heads do. */
const newModel = (/** @type {number} */ seed) =>
  new Transformer({
    vocabularySize: words.length,
    maxLength: places.end + 1,
    numHiddens: 64,
    numLayers: 3,
    numHeads: 8,
    ffnHiddens: 0,
    seed,
    optimizer: { learningRate: 0.002 },
  });

/**
 * Reads the model, or trains it and writes it.
 *
 * @param {string} file
 * @param {{ steps: number, seed: number }} options
 */
export function trainedModel(file, { steps, seed }) {
  const model = newModel(seed);
  if (existsSync(file)) {
    model.loadStateDict(loadSafetensors(readFileSync(file)).tensors);
    return model;
  }
  const random = randomLcg(1);
  const began = performance.now();
  for (let step = 1; step <= steps; step++) {
    const { tokens, objects } = drawSentences(64, random);
    const loss = model.trainStep(
      tokens,
      tokens.map((row, i) => [...row.slice(1), objects[i]]),
    );
    if (step % 100 === 0 || step === steps) {
      const seconds = ((performance.now() - began) / 1000).toFixed(0);
      console.log(`trained ${step} of ${steps} steps in ${seconds} s, loss ${loss.toFixed(3)}`);
    }
  }
  writeFileSync(file, saveSafetensors(model.stateDict()));
  return model;
}
