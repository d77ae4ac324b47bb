import { translatable } from '../../format/translation.js';
import type { LayerPart } from './state.js';
import { some } from './state-words.js';

/** What a head that was marked does; weights are means. */
interface Outcome {
  readonly head: number;
  /** On the key that its pattern asks for. */
  readonly weight: string;
  /** On the key three back. */
  readonly onCopy: string;
  /** The largest of the other heads on the key three back. */
  readonly elsewhere: string;
}

/** What the act says, beside intro.ts. */
const act = {
  figure: 'Weights of every head for the chosen input',
  maps: 'the maps of all heads',
  largest: (where: {
    readonly sample: number;
    readonly head: number;
    readonly query: number;
    readonly key: number;
    readonly weight: string;
  }) =>
    `The largest weight is ${where.weight}, from query ${where.query} to key\u00a0${where.key} in head ${where.head} of sample ${where.sample}.`,
  even: 'Every row is uniform: if all keys are equal, no head can prefer one.',
  nothing: 'No sample has a valid key, so every weight is 0.',
  pattern: (found: string, planted: string | undefined) => {
    if (planted === undefined) return found;
    return planted === found ? found : `${found}, planted: ${planted}`;
  },
  measures: (largest: string, entropy: string) => `max\u00a0${largest}, H\u00a0${entropy}`,
  noKey: 'no valid key',
  caption:
    'Below each head’s name: its pattern in that sample, its largest weight, and H, the mean entropy of its rows in nats (0 if every query attends to a single key). At the edges of the enlarged map: the sum of each row, and the total weight of each key.',
  unnamed: 'pattern: ?',
  goal: {
    task: 'Find the head that looks three back: choose the input “Patterns”, compare the maps and mark the head.',
    question: 'Which head looks three back?',
    answer: (head: number) => `Head ${head} looks three back`,
    reached: 'You have found a head by its map.',
    outcomes: {
      copy: ({ head, weight, elsewhere }: Outcome) =>
        `Head ${head} gives the key three back a weight of ${weight} in the mean, any other head at most ${elsewhere}.`,
      previousToken: ({ head, weight, onCopy }: Outcome) =>
        `Head ${head} looks at the previous token: mean weight ${weight}. The key three back gets ${onCopy}.`,
      firstToken: ({ head, weight, onCopy }: Outcome) =>
        `Head ${head} looks at the first token: mean weight ${weight}. The key three back gets ${onCopy}.`,
      diagonal: ({ head, weight, onCopy }: Outcome) =>
        `In head ${head} each token looks at itself: mean weight ${weight}. The key three back gets ${onCopy}.`,
      even: ({ head, onCopy }: Outcome) =>
        `Head ${head} weighs all keys alike. The key three back gets ${onCopy}.`,
      mixed: ({ head, onCopy }: Outcome) =>
        `Head ${head} prefers no position: the key three back gets a mean weight of ${onCopy}.`,
    },
  },
} as const;

/** What a head's weights look like. */
const patterns = {
  previousToken: 'previous token',
  firstToken: 'first token',
  diagonal: 'itself',
  copy: 'three back',
  even: 'uniform',
  mixed: 'mixed',
  note: 'Tokens are their one-hot positions and random content. A head’s queries look at the previous token, the first token, themselves, the token three back, or all alike; the seed decides which head does which.',
  names: 'Show names',
} as const;

const controls = {
  panel: 'Input and settings of the layer',
  more: 'Mask, scale, dropout, colours',
  input: 'Input',
  inputs: {
    ones: 'Ones',
    random: 'Random',
    patterns: 'Patterns',
    text: 'Text',
    own: 'Custom',
  },
  heads: 'Heads',
  scale: 'Scale factor (× 1/√d)',
  dropout: 'Dropout',
  causal: 'Causal',
  contrast: 'Contrast per head',
  sample: 'Sample',
  validLen: (sample: number) => `Valid length of sample ${sample}`,
} as const;

/** Text as an input. */
const typed = {
  label: 'Text, one sample per line',
  hint: (lines: number, tokens: number) =>
    `Up to ${lines} lines of ${tokens} tokens. Each distinct token has its own random embedding, the same at every position.`,
  nothing: 'Type at least one word. The maps still show the last text.',
  cut: (lines: number, tokens: number, characters: number) =>
    `At most ${lines} lines of ${tokens} tokens and ${characters} characters are shown; the rest was left out.`,
  tokens: 'Tokens',
  kinds: { words: 'Words', letters: 'Letters' },
  positions: 'Positional encoding',
} as const;

/** Numbers and files of the reader's own. */
const user = {
  pasted: 'Numbers, one token per row',
  pastedHint: ({ batch, length }: { readonly batch: number; readonly length: number }) =>
    `CSV, or JSON: (tokens, size), (samples, tokens, size), or an object with such arrays named queries, keys and values. Up to ${batch} samples of ${length} tokens.`,
  file: 'Or choose or drop a file',
  fileHint:
    '.npy or .safetensors with queries, keys and values; or .safetensors with the parameters of a layer. The file stays on your machine.',
  heldPasted: (longest: number) =>
    `Showing the pasted numbers. They exceed the ${longest} characters that a link can hold: whoever opens a link to this view is asked to paste them again.`,
  tooLong: (length: number, longest: number) =>
    `Expected at most ${longest} characters; got ${length}. Use a file for more. The maps still show the last numbers.`,
  heldTensors: (name: string) => `Showing the tensors in ${name}.`,
  heldParameters: (name: string, prefix: string) =>
    `Showing the parameters in ${name}${prefix === '' ? '' : ` under “${prefix}”`}, with random input.`,
  failed: (name: string, reason: string) => `${name} was not loaded. ${reason}`,
  tooLarge: (size: number, largest: number) =>
    `Expected at most ${largest} MB; got ${Math.ceil(size)} MB.`,
  unknownFile: (name: string) =>
    `Expected a .npy, .safetensors, .json or .csv file; got ${name.slice(-40)}.`,
  noParameters: (names: readonly string[]) =>
    `Expected tensors named queries, keys and values, or the parameters of an attention layer (W_q.weight, in_proj_weight, query.weight and the like); got ${some(names)}.`,
  otherLayer:
    'Expected a layer with linear projections and dot-product pooling, the only kind this page draws.',
} as const;

const gates = {
  title: 'Gates',
  intro:
    'A gate multiplies the output of a head before the output projection: 1 leaves it unchanged, 0 removes the head. The attention weights do not change.',
  gate: (head: number) => `Gate of head ${head}`,
  gateShort: 'Gate',
  open: 'Open all',
  moved: (share: string) => `The output changes by ${share} (relative L2 norm).`,
  still: 'All gates are open: this is the layer’s own output.',
  name: 'the effect of the gates',
  bars: 'A bar is the change of the output by one gate alone (relative L2 norm): filled at the gate’s present value, outlined at 0.',
  bar: (head: number, now: string, without: string) =>
    `Head ${head}: the output changes by ${now} at this gate, by ${without} without the head`,
  now: (share: string) => `${share} now`,
  without: (share: string) => `${share} without`,
  loud: ({
    most,
    mostShare,
    least,
    leastShare,
  }: {
    readonly most: number;
    readonly mostShare: string;
    readonly least: number;
    readonly leastShare: string;
  }) =>
    `Without head ${most} the output changes most (${mostShare}), without head ${least} least (${leastShare}). This is the size of a head’s contribution, not its importance.`,
  untrained:
    'Importance is how much worse a task is done without the head, and this layer was trained for none.',
  unknownTask:
    'Importance is how much worse a task is done without the head, and the page does not know the task of your parameters.',
  importance: 'Measure importance on a task',
} as const;

/** The figure of the whole layer. */
const layer = {
  title: 'The whole layer',
  intro:
    'The figure of the chapter, with the actual shapes for this input. Choose a part to see its numbers; choose a head to select it in all figures.',
  panel: 'What the figure shows',
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
    queries: (sample: number) => `Queries of sample ${sample}, one row per query.`,
    keys: (sample: number) => `Keys of sample ${sample}, one row per key.`,
    values: (sample: number) => `Values of sample ${sample}, one row per key.`,
    W_q: (_sample: number, head: number) =>
      `The rows of W_q that project queries for head ${head}.`,
    W_k: (_sample: number, head: number) => `The rows of W_k that project keys for head ${head}.`,
    W_v: (_sample: number, head: number) => `The rows of W_v that project values for head ${head}.`,
    q: (sample: number, head: number) => `Queries of sample ${sample}, projected for head ${head}.`,
    k: (sample: number, head: number) => `Keys of sample ${sample}, projected for head ${head}.`,
    v: (sample: number, head: number) => `Values of sample ${sample}, projected for head ${head}.`,
    weights: (sample: number, head: number) =>
      `Attention weights of head ${head} for sample ${sample}.`,
    pooled: (sample: number, head: number) =>
      `Output of head ${head} for sample ${sample} before its gate, one row per query.`,
    concat: (sample: number) =>
      `Outputs of all heads for sample ${sample} after their gates, concatenated.`,
    W_o: (_sample: number, head: number) => `The columns of W_o for head ${head}.`,
    output: (sample: number) => `Output for sample ${sample}, one row per query.`,
  } satisfies Record<LayerPart, (sample: number, head: number) => string>,
  numbers: (part: string) => `Numbers of ${part}`,
  truncated: (rows: number, columns: number, shape: string) =>
    `The first ${rows} rows and ${columns} columns of ${shape}.`,
  whole: (shape: string) => `All of ${shape}.`,
} as const;

/** The one map that is enlarged. */
const closeUp = {
  title: 'Enlarged map',
  name: 'the enlarged map',
  label: (head: number, sample: number) =>
    `Head ${head}, sample ${sample}, enlarged: weights with the sums of rows and columns`,
} as const;

const arithmetic = {
  title: 'How this weight is computed',
  hint: 'Choose a cell of any map. For example:',
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
  seen: 'visible: the score is kept',
  hidden: 'masked: the score becomes −∞',
  fromLargest: (score: string, largest: string) =>
    `e to the power of ${score} − ${largest.startsWith('−') ? `(${largest})` : largest}, the row’s largest`,
  nothing: 'no key of the row is visible',
  kept: (rate: string) => `kept, ÷ (1 − ${rate})`,
  dropped: 'dropped in this pass',
  weighed: 'added to the head’s output',
  sums: (row: string, column: string) => `The row sums to ${row}, the column to ${column}.`,
} as const;

const compare = {
  title: 'Compare two heads',
  control: 'Head to compare with',
  none: 'none',
  head: (head: number) => `Head ${head}`,
  name: 'the difference of two heads',
  minus: 'minus',
  label: (head: number, other: number, sample: number) =>
    `Weights of head ${head} minus those of head ${other}, sample ${sample}`,
  legend: (head: number, other: number) =>
    `green: head ${head} has the larger weight; violet: head ${other}`,
  ends: (largest: string) => [`−${largest}`, '0', `+${largest}`],
  legendLabel: (largest: string) =>
    `Colours of differences from −${largest} (violet) through 0 (pale) to ${largest} (green)`,
  same: 'Both heads have the same weights.',
  largest: (value: string) => `The largest difference is ${value}.`,
  cell: (words: {
    readonly query: number;
    readonly key: number;
    readonly value: string;
    readonly masked: boolean;
  }) =>
    `Query ${words.query}, key ${words.key}: difference ${words.value}${words.masked ? ', masked' : ''}`,
} as const;

export const words = translatable('heads', {
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
});
