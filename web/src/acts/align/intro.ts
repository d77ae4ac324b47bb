import { translatable } from '../../format/translation.js';

/** What the page says of the act before its code is loaded. */
export const intro = translatable('alignIntro', {
  short: 'Align',
  title: 'Cross-attention: reading the alignment',
  lead: 'In cross-attention, queries come from one sequence and keys and values from another: here a [decoder], which writes a date as ISO 8601, attends to the output of an [encoder], which reads the date in words.',
  paragraphs: [
    'It is known which input characters each output character comes from, so that the [attention weights|attention weight] of a head can be compared with the true alignment.',
  ],
});

/** What it says of an address. */
export const corrections = translatable('alignCorrections', {
  noHead: (head: number, heads: number) =>
    `There is no head ${head} of ${heads} in the act “${intro.title}”; showing all.`,
});
