import { translatable } from '../../format/translation.js';

/** What the page says of the act before its code is loaded. */
export const intro = translatable('wordsIntro', {
  title: 'A real model on your words',
  lead: 'A trained model predicts your next token: shut heads, and see which of them carry it.',
  paragraphs: [],
});
