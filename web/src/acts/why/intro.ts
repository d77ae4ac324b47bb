import { translatable } from '../../format/translation.js';

/** What the page says of the act before its code is loaded. */
export const intro = translatable('whyIntro', {
  short: 'Why',
  title: 'Why this key, and why √d',
  lead: 'A [score] is a sum of d products. Choose a key to see which of them raise and which lower its score, then drag the divisor of the scores from 1 to beyond d, and watch the weights.',
  paragraphs: [],
});
