/** The second act. */
export const heads = {
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
export const patterns = {
  previousToken: 'previous token',
  firstToken: 'first token',
  diagonal: 'itself',
  copy: 'three before',
  even: 'even',
  mixed: 'mixed',
  note: 'Each token is its position and some random content. The parameters are made so that one head after the other looks at the previous token, the first, itself, the one three before, or nowhere in particular.',
} as const;

export const controls = {
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
  seed: 'Seed',
  newSeed: 'Draw another',
  seedHint: (min: number, max: number, shown: number) =>
    `A whole number from ${min} to ${max}, please. The maps still show seed ${shown}.`,
  scale: 'Scale, times 1/√d',
  dropout: 'Dropout',
  causal: 'Causal',
  contrast: 'Contrast per head',
  validLen: (sample: number) => `Valid length of sample ${sample}`,
  reset: 'Reset',
} as const;

/** Text as an input. */
export const typed = {
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
export const own = {
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

export const gates = {
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
