/** The second act and its controls. */
export const heads = {
  title: 'The heads',
  paragraphs: [
    'Random numbers break the tie. Now the keys differ, and so do the heads, because each projects them with parameters of its own. Nobody has trained these parameters, so no head is sure of anything yet: its weights only waver around the even ones above.',
    'Give a sample a single valid key, then none: what weights are left? Go back to ones and draw new seeds: the parameters change, the maps do not.',
  ],
  figure: 'Weights of every head for the chosen input',
  largest: (where: {
    readonly sample: number;
    readonly head: number;
    readonly query: number;
    readonly key: number;
    readonly weight: string;
  }) =>
    `The largest weight is ${where.weight}, where head ${where.head} lets query ${where.query} of sample ${where.sample} look at key ${where.key}.`,
  even: 'Every row is even: where all keys are equal, no head can prefer one.',
  nothing: 'No sample has a valid key: there is nothing to look at, and every weight is 0.',
} as const;

export const controls = {
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
} as const;
