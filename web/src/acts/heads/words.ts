import { quoted } from '../../format/sentences.js';
import type { LayerPart } from './layer-parts.js';

/** The second act. */
const act = {
  title: 'The heads',
  paragraphs: [
    'Random numbers break the tie. Now the keys differ, and so do the heads, because each projects them with parameters of its own. Nobody has trained these parameters, so no head is sure of anything yet: its weights only waver around the even ones above.',
    'Give a sample a single valid key, then none: what weights are left? Go back to ones and draw new seeds: the parameters change, the maps do not. Choose the planted patterns, and every head has a role; or type a sentence, or bring numbers of your own.',
  ],
  figure: 'Weights of every head for the chosen input',
  maps: 'the maps of all heads',
  largest: (where: {
    readonly sample: number;
    readonly head: number;
    readonly query: number;
    readonly key: number;
    readonly weight: string;
  }) =>
    `The largest weight is ${where.weight}, where head ${where.head} lets query ${where.query} of sample ${where.sample} look at key\u00a0${where.key}.`,
  even: 'Every row is even: where all keys are equal, no head can prefer one.',
  nothing: 'No sample has a valid key: there is nothing to look at, and every weight is 0.',
  pattern: (found: string, planted: string | undefined) => {
    if (planted === undefined) return found;
    return planted === found ? `${found}, as planted` : `${found}, planted: ${planted}`;
  },
  measures: (largest: string, entropy: string) => `max\u00a0${largest}, H\u00a0${entropy}`,
  noKey: 'no valid key',
  caption:
    'Below a head’s name stand the pattern that it follows in that sample, the largest weight of the map and H, the mean entropy of its rows in nats: 0 where every query looks at one key.',
  goal: {
    task: 'Find the head whose silence moves the output most: close the gate of one head at a time, all others open.',
    near: (head: number, share: string) =>
      `Without head ${head} the output moves by ${share}. Does another head matter more?`,
    reached: (head: number, share: string) =>
      `Without head ${head} the output moves by ${share}, more than without any other. That is what the fourth act measures as importance.`,
  },
} as const;

/** What a head's weights look like. */
const patterns = {
  previousToken: 'previous token',
  firstToken: 'first token',
  diagonal: 'itself',
  copy: 'three before',
  even: 'even',
  mixed: 'mixed',
  note: 'Each token is its position and some random content. The parameters are made so that one head after the other looks at the previous token, the first, itself, the one three before, or nowhere in particular.',
} as const;

const controls = {
  panel: 'What the heads are given',
  input: 'Input',
  inputs: {
    ones: 'Ones',
    random: 'Random',
    patterns: 'Patterns',
    text: 'Text',
    own: 'Own',
  },
  heads: 'Heads',
  scale: 'Scale, times 1/√d',
  dropout: 'Dropout',
  causal: 'Causal',
  contrast: 'Contrast per head',
  validLen: (sample: number) => `Valid length of sample ${sample}`,
} as const;

/** Text as an input. */
const typed = {
  label: 'Text, a line a sample',
  hint: (lines: number, tokens: number) =>
    `Up to ${lines} lines of ${tokens} tokens. Every token has random numbers of its own, the same wherever it stands.`,
  nothing: 'Type a word, please. The maps still show the last text.',
  cut: (lines: number, tokens: number, characters: number) =>
    `Shown are ${lines} lines of ${tokens} tokens and ${characters} characters at most; the rest was left out.`,
  tokens: 'Tokens',
  kinds: { words: 'Words', letters: 'Letters' },
  positions: 'Add positions',
} as const;

interface Limits {
  readonly batch: number;
  readonly length: number;
  readonly size: number;
}

const shapeOf = (shape: readonly number[]): string => `(${shape.join(', ')})`;
const some = (names: readonly string[]): string =>
  names.length === 0 ? 'nothing' : names.slice(0, 4).join(', ') + (names.length > 4 ? ', …' : '');

/** Numbers of the reader's own. */
const user = {
  pasted: 'Numbers, a row a token',
  pastedHint: ({ batch, length }: Limits) =>
    `CSV, or JSON: (tokens, size), (samples, tokens, size), or an object of these named queries, keys and values. Up to ${batch} samples of ${length} tokens.`,
  file: 'Or a file, chosen or dropped',
  fileHint:
    '.npy or .safetensors with queries, keys and values; or .safetensors with the parameters of a layer. It does not leave your machine.',
  heldPasted: (longest: number) =>
    `Shown: the pasted numbers. They are more than the ${longest} characters that a link can hold, and a link to this view asks for them again.`,
  tooLong: (length: number, longest: number) =>
    `Expected at most ${longest} characters; got ${length}. A file may hold more. The maps still show the last numbers.`,
  heldTensors: (name: string) => `Shown: what ${name} holds.`,
  heldParameters: (name: string, prefix: string) =>
    `Shown: the parameters of ${name}${prefix === '' ? '' : ` under “${prefix}”`}, on random input.`,
  failed: (name: string, reason: string) => `${name} was not taken. ${reason}`,
  nothing: 'Paste some numbers, please: rows of numbers or nested JSON arrays.',
  notJson: 'This begins like JSON, but is none: check brackets and commas.',
  notNumber: (cell: string, row: number) =>
    cell === ''
      ? `Row ${row} has an empty place where a number was expected.`
      : `Row ${row} holds “${cell.slice(0, 20)}” where a number was expected.`,
  noQueries: (names: readonly string[]) =>
    `Expected an object with queries, and keys and values if they differ; got ${some(names)}.`,
  shape: (name: string, shape: readonly number[], { batch, length, size }: Limits) =>
    `Expected ${name} of shape (tokens, size) or (samples, tokens, size) with up to ${batch} samples, ${length} tokens and ${size} numbers a token; got ${shapeOf(shape)}.`,
  notFinite: (name: string) => `Expected finite numbers; ${name} holds NaN or infinity.`,
  disagree: (shapes: readonly (readonly number[])[]) =>
    `Expected as many samples in queries, keys and values, and as many values as keys; got ${shapes.map(shapeOf).join(', ')}.`,
  tooLarge: (size: number, largest: number) =>
    `Expected at most ${largest} MB; got ${Math.ceil(size)} MB.`,
  unknownFile: (name: string) =>
    `Expected a .npy, .safetensors, .json or .csv file; got ${name.slice(-40)}.`,
  noParameters: (names: readonly string[]) =>
    `Expected tensors named queries, keys and values, or the parameters of an attention layer (W_q.weight, in_proj_weight, query.weight and the like); got ${some(names)}.`,
  otherLayer:
    'Expected a layer with linear projections and dot products; this page draws no other kind.',
} as const;

const gates = {
  title: 'Gates',
  intro:
    'A gate multiplies what a head has pooled before the output projection joins the heads: 1 lets it through, 0 silences it. The weights stay as they are.',
  gate: (head: number) => `Gate of head ${head}`,
  short: (head: number) => `Head ${head}`,
  spoken: (gate: string, share: string) => `${gate}; the output moves by ${share}`,
  open: 'Open all',
  moved: (share: string) => `The output moves by ${share} of its length.`,
  still: 'All gates are open: this is the layer’s own output.',
  name: 'the effect of the gates',
  chart: 'How far the gates move the output of each query, in parts of its length',
  bar: (sample: number, query: string, share: string) => `Sample ${sample}, ${query}: ${share}`,
} as const;

/** The figure of the whole layer. */
const layer = {
  title: 'The whole layer',
  intro:
    'The figure of the chapter, with the shapes that this input really has. Choose a part to see its numbers; choose a head, and it is shown everywhere.',
  label: 'Multi-head attention, from queries, keys and values to the output',
  name: 'the layer',
  parts: {
    queries: 'queries',
    keys: 'keys',
    values: 'values',
    W_q: 'W_q',
    W_k: 'W_k',
    W_v: 'W_v',
    q: 'q of the head',
    k: 'k of the head',
    v: 'v of the head',
    weights: 'softmax(q kᵀ ÷ √d)',
    pooled: 'weights × v',
    concat: 'Concatenate',
    W_o: 'W_o',
    output: 'output',
  } satisfies Record<LayerPart, string>,
  // The subscript of W_q is told as it is seen.
  partLabel: (name: string, shape: string) => `${name.replace('_', '')}, ${shape}: show numbers`,
  headLabel: (head: number) => `Head ${head}: select`,
  headsTitle: (heads: number) => (heads === 1 ? '1 head' : `${heads} heads`),
  about: {
    queries: (sample: number) => `Queries of sample ${sample}: a row a query.`,
    keys: (sample: number) => `Keys of sample ${sample}: a row a key.`,
    values: (sample: number) => `Values of sample ${sample}: a row a key.`,
    W_q: (_sample: number, head: number) =>
      `The rows of W_q that make the queries of head ${head}.`,
    W_k: (_sample: number, head: number) => `The rows of W_k that make the keys of head ${head}.`,
    W_v: (_sample: number, head: number) => `The rows of W_v that make the values of head ${head}.`,
    q: (sample: number, head: number) => `Queries of sample ${sample} as head ${head} sees them.`,
    k: (sample: number, head: number) => `Keys of sample ${sample} as head ${head} sees them.`,
    v: (sample: number, head: number) => `Values of sample ${sample} as head ${head} sees them.`,
    weights: (sample: number, head: number) => `Weights of head ${head} for sample ${sample}.`,
    pooled: (sample: number, head: number) =>
      `What head ${head} pools for sample ${sample}: a row a query, before its gate.`,
    concat: (sample: number) =>
      `What all heads pool for sample ${sample}, side by side, after their gates.`,
    W_o: (_sample: number, head: number) => `The columns of W_o that read head ${head}.`,
    output: (sample: number) => `Output for sample ${sample}: a row a query.`,
  } satisfies Record<LayerPart, (sample: number, head: number) => string>,
  numbers: (part: string) => `Numbers of ${part}`,
  truncated: (rows: number, columns: number, shape: string) =>
    `The first ${rows} rows and ${columns} columns of ${shape}.`,
  whole: (shape: string) => `All of ${shape}.`,
} as const;

/** The one map that is enlarged. */
const closeUp = {
  title: 'Close up',
  name: 'the enlarged map',
  label: (head: number, sample: number) =>
    `Head ${head}, sample ${sample}, enlarged: weights with the sums of rows and columns`,
  sums: 'At the right edge the sum of each row, at the bottom how much weight each key gets in all.',
} as const;

const arithmetic = {
  title: 'How this weight comes about',
  hint: 'Choose a cell of any map, and its arithmetic stands here. For example:',
  caption: (head: number, sample: number, query: string, key: string) =>
    `Head ${head}, sample ${sample}: query ${query}, key ${key}`,
  columns: ['Step', 'Numbers', 'Result'],
  dot: 'q · k',
  scale: (size: number, factor: string) =>
    factor === '1' ? `÷ √${size}` : `÷ √${size} × ${factor}`,
  mask: 'Mask',
  exp: 'exp',
  sum: '÷ sum',
  dropout: 'Dropout',
  value: '× v',
  more: (count: number) => `… ${count} more`,
  seen: 'the key may be seen, the score stays',
  hidden: 'the key is masked, whatever its score',
  fromLargest: (score: string, largest: string) =>
    `e to the power of ${score} − ${largest.startsWith('−') ? `(${largest})` : largest}, the largest score of the row`,
  nothing: 'no key of the row may be seen',
  kept: (rate: string) => `kept, ÷ (1 − ${rate})`,
  dropped: 'dropped in this draw',
  weighed: 'the value’s part in what the head pools',
  sums: (row: string, column: string) => `The row sums to ${row}, the column to ${column}.`,
} as const;

const compare = {
  title: 'Compare two heads',
  control: 'Head to compare with',
  none: 'none',
  head: (head: number) => `Head ${head}`,
  name: 'the difference of two heads',
  label: (head: number, other: number, sample: number) =>
    `Weights of head ${head} less those of head ${other}, sample ${sample}`,
  legend: (head: number, other: number) =>
    `orange: head ${head} weighs more; violet: head ${other} does`,
  ends: (largest: string) => [`−${largest}`, '0', `+${largest}`],
  legendLabel: (largest: string) =>
    `Colours of differences from −${largest} (violet) by 0 (pale) to ${largest} (orange)`,
  same: 'Both heads weigh every key alike.',
  largest: (value: string) => `The largest difference is ${value}.`,
  cell: (words: {
    readonly query: number;
    readonly key: number;
    readonly value: string;
    readonly masked: boolean;
  }) =>
    `Query ${words.query}, key ${words.key}: difference ${words.value}${words.masked ? ', masked' : ''}`,
} as const;

/** What of an address of this act could not be taken as it was. */
const corrections = {
  file: (name: string) =>
    `This view was made from the file ${quoted(name)}, which no link can hold. Choose the file again to see it.`,
  pasted:
    'This view was made from pasted numbers, more than a link can hold. Paste them again to see it.',
  tooManyNumbers: (longest: number) =>
    `The numbers in the address are longer than ${longest} characters and were not taken.`,
  numbers: (reason: string) => `The numbers in the address cannot be read. ${reason}`,
  typed: (name: string, lines: number, tokens: number, characters: number) =>
    `What the address holds as ${name} is longer than ${lines} lines of ${tokens} tokens and ${characters} characters and was cut.`,
} as const;

export const words = {
  ...act,
  patterns,
  controls,
  typed,
  user,
  gates,
  layer,
  closeUp,
  arithmetic,
  compare,
  corrections,
} as const;
