import { count } from '../../format/sentences.js';
import { translatable } from '../../format/translation.js';

const variants = {
  standard: 'Standard',
  alone: 'Encoder without attention',
  shared: 'Shared embeddings',
} as const;

/** What the act says, beside intro.ts. */
export const words = translatable('translate', {
  goal: 'Train until 95\u00a0% of unseen dates are right. Does each head read its own part of the date, or do heads share a part?',
  goalReached: (step: number) => `95\u00a0% at step ${step}.`,
  ended: 'Finished',
  variant: 'Model',
  variants,
  variantNotes: {
    standard: 'One encoder layer and one decoder layer.',
    alone:
      'The encoder’s self-attention is switched off: a key encodes its character and its position, but not whether the character belongs to the day or to the year.',
    shared:
      'Input, output and unembedding use one table of embeddings. Compare the accuracy with where the heads attend.',
  },

  status: (step: number, last: number, accuracy: string) =>
    `Step ${step} of ${last}: ${accuracy} of unseen dates right.`,

  parts: { year: 'year', month: 'month', day: 'day' },
  verdict: {
    learnt: (accuracy: string, step: number) =>
      `${accuracy} of unseen dates are right after ${step} steps.`,
    notLearnt: (accuracy: string, step: number) =>
      `Not learnt: ${accuracy} of unseen dates are right after ${step} steps.`,
    share: (head: number, share: string) => `head ${head} (${share})`,
    specialist: (part: string, head: number, share: string) =>
      `Head ${head} reads the ${part} (${share}).`,
    /** `heads`: as listed by `share`. */
    shared: (part: string, heads: string) => `The ${part} is shared by ${heads}.`,
    none: (part: string, head: number, share: string) =>
      `No head clearly reads the ${part}; the best is head ${head} (${share}).`,
    elsewhere:
      'The dates are right without alignment: the encoder’s output at one position also contains information from other positions, so these weights do not show where a character comes from.',
  },

  text: 'A date for the model to read',
  textKept: (shown: string) =>
    `Letters, digits, spaces, commas and hyphens, at most 18. The model reads “${shown}”.`,
  textEmpty: 'Type a date such as 5 March 2021.',
  noTruth:
    'There is no right answer to compare with: the model learns dates such as March 5, 2021 or 5 Mar 2021, with years from 1000 to 2999.',

  figure: 'Alignment: from each output character to the input characters that it attends to',
  padding: (length: number, longest: number) =>
    `Hatched: padding. In a batch, this input of ${count(length, 'character', 'characters')} is padded to ${longest} keys. Its valid length masks the padding, so every query gives it weight 0.`,
  queries: 'Output characters',
  output: (number: number) => `Output ${number}`,
  query: (number: number, character: string, attended: string, expected?: string) =>
    `Output ${number}, ${character}: ${attended}.${expected === undefined ? '' : ` It should be ${expected}.`}`,
  attends: (head: number, key: string, share: string) => `head ${head} gives ${key} ${share}`,
  hint: 'Point at an output character, or select it, to see its weights alone. Press a head to see that head alone.',
  space: 'space',

  maps: 'Weights by head: output characters down, input characters across',
  map: (head: number, answer: string, text: string) =>
    `Head ${head}: weights of the output ${answer} (rows) for the input ${text} (columns)`,
  headAlone: (head: number) => `Show head ${head} alone`,
  best: 'best',
  outlined:
    'Outlined: the characters that the output comes from. Bars: share of the head’s weight on them, over unseen dates; the tick is where uniform weights would be.',
  shares: 'Share',
  shareCurve:
    'Share of unseen dates that are right, and of each head’s weight on the right characters',
  dates: 'dates right',
  loopStep: (step: number) => `Step ${step}`,
  exportName: 'the alignment',
});
