/** Every word of the page. `*…*` is emphasis, and only paragraphs may use it. */

interface CellWords {
  readonly head: number;
  readonly query: number;
  readonly key: number;
  readonly weight: string;
  readonly masked: boolean;
}

const list = new Intl.ListFormat('en', { type: 'conjunction' });
const choice = new Intl.ListFormat('en', { type: 'disjunction' });

const cell = ({ head, query, key, weight, masked }: CellWords): string =>
  `Head ${head}, query ${query}, key ${key}: weight ${weight}${masked ? ', masked' : ''}`;

const smallNumbers = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

const inWords = (number: number, place?: 'sentence'): string => {
  const word = smallNumbers[number] ?? String(number);
  return place === 'sentence' ? word.charAt(0).toUpperCase() + word.slice(1) : word;
};

const count = (number: number, one: string, more: string): string =>
  `${number} ${number === 1 ? one : more}`;

export const text = {
  document: {
    title: 'headwise: multi-head attention, head by head',
    description:
      'Multi-head attention running in your browser: the weights of every head, drawn on one scale, from the toy example of Dive into Deep Learning to any seed, number of heads and mask.',
    noScript: 'This page computes everything it shows. It needs JavaScript.',
  },

  header: {
    name: 'headwise',
    title: 'Multi-head attention, head by head',
    intro: [
      'Attention compares a query with every key, turns the scores into weights that sum to one, and averages the values by these weights. *Multi-head* attention does so several times at once. Each head looks at the same input through projections of its own, so that each can look for something else, and what they find is joined at the end.',
      'This page runs such a layer and draws what every head does. No picture here was prepared: each number comes from a forward pass made in your browser, when the page opened or when you last moved a control.',
    ],
  },

  toy: {
    title: 'The toy example',
    paragraphs: [
      'The chapter tries its layer on the plainest input there is: queries, keys and values that hold nothing but ones. The batch has two samples. What comes out is one vector for each query, as long as the query was.',
      'Valid lengths say how many of its keys a sample may look at. The others are masked: they weigh exactly 0, whatever they hold, and are hatched below, since a weight of 0 and a key that nobody may look at are different things.',
    ],
    flow: {
      label: 'Shapes of the toy example, from input to output',
      queries: 'Queries',
      keys: 'Keys and values',
      validLens: 'Valid lengths',
      heads: 'Heads',
      output: 'Output',
      axes: 'batch, length, hidden units',
      perSample: 'one per sample',
      headSize: (size: number) => `of ${size} hidden units each`,
    },
    figure: 'Weights of every head in the toy example',
    conclusion: (heads: number) =>
      `${inWords(heads, 'sentence')} heads, ${inWords(heads)} identical maps.`,
    reason: (shares: readonly string[]) =>
      `All keys are equal, so every head, whatever its projections, scores them alike and spreads its weight evenly over the valid ones: ${list.format(shares)}.`,
    share: (fraction: string, sample: number) => `${fraction}\u00a0each in sample ${sample}`,
  },

  heads: {
    title: 'The heads',
    paragraphs: [
      'Random numbers break the tie. Now the keys differ, and so do the heads, because each projects them with parameters of its own. Nobody has trained these parameters, so no head is sure of anything yet: its weights only waver around the even ones above.',
      'Give a sample a single valid key, then none: what weights are left? Go back to ones and draw new seeds: the parameters change, the maps do not.',
    ],
    figure: 'Weights of every head for the chosen input',
    largest: (where: Omit<CellWords, 'masked'> & { readonly sample: number }) =>
      `The largest weight is ${where.weight}, where head ${where.head} lets query ${where.query} of sample ${where.sample} look at key ${where.key}.`,
    even: 'Every row is even: where all keys are equal, no head can prefer one.',
    nothing: 'No sample has a valid key: there is nothing to look at, and every weight is 0.',
  },

  controls: {
    panel: 'What the heads are given',
    input: 'Input',
    inputs: { ones: 'Ones', random: 'Random' },
    heads: 'Heads',
    seed: 'Seed',
    newSeed: 'Draw another',
    seedHint: (min: number, max: number, shown: number) =>
      `A whole number from ${min} to ${max}, please. The maps still show seed ${shown}.`,
    validLen: (sample: number) => `Valid length of sample ${sample}`,

    reset: 'Reset',
  },

  sample: {
    name: (sample: number) => `Sample ${sample}`,
    validLen: (length: number, keys: number) => `${length} of ${keys} keys valid`,
  },

  map: {
    title: (head: number) => `Head ${head}`,
    label: (head: number, sample: number, queries: number, keys: number) =>
      `Head ${head}, sample ${sample}: weights of ${count(queries, 'query', 'queries')} (rows) for ${count(keys, 'key', 'keys')} (columns)`,
    row: (query: number) => `Query ${query}`,
    query: (query: number) => `q${query}`,
    key: (key: number) => `k${key}`,
  },

  cell,

  readOut: {
    hint: 'Point at a cell, tap it, or walk the maps with Tab and the arrow keys.',
    cell: (sample: number, words: CellWords) => `Sample ${sample}. ${cell(words)}`,
  },

  legend: {
    name: 'Weight',
    label: 'Colours of the weights from 0 (dark violet) to 1 (yellow)',
    masked: 'masked',
  },

  figureCaption:
    'Rows are queries (q), columns are keys (k); each row sums to 1 unless all its keys are masked. The scale is the same in every map.',

  corrections: {
    input: (given: string, known: readonly string[]) =>
      `The address asks for input “${given}”; it can be ${choice.format(known)}.`,
    seed: (given: string, shown: number) =>
      `The address asks for seed “${given}”; this is seed ${shown}.`,
    heads: (given: string, known: readonly number[], shown: number) =>
      `The address asks for “${given}” heads; it can be ${choice.format(known.map(String))}, and is ${shown} here.`,
    valid: (given: string, shown: readonly number[]) =>
      `The address asks for valid lengths “${given}”; these are ${list.format(shown.map(String))}.`,
  },

  failure: {
    title: 'The layer cannot run here',
    unsupported:
      'It is written for WebAssembly SIMD, which this browser lacks. Chrome and Edge have it from version 91, Firefox from 89, Safari from 16.4.',
    loading: 'Its WebAssembly file did not load. Check the connection, then load the page again.',
    other: 'Something went wrong that should not have. Loading the page again may help.',
    details: (message: string, code: string | undefined) =>
      code === undefined ? message : `${message} (${code})`,
  },

  footer: {
    source:
      'After the chapter “Multi-Head Attention” of *Dive into Deep Learning* by Aston Zhang, Zachary C. Lipton, Mu Li and Alexander J. Smola (Cambridge University Press, 2023), with its example and its names; the words are our own.',
  },
} as const;
