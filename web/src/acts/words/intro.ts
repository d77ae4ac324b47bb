import { translatable } from '../../format/translation.js';

/** What the page says of the act before its code is loaded. */
export const intro = translatable('wordsIntro', {
  short: 'Words',
  title: 'A real model on your words',
  lead: 'A trained language model predicts the next [token] of your text. Shut the [gates|gate] of its heads to see which of them the prediction depends on.',
  paragraphs: [],
});
