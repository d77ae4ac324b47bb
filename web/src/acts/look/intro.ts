import { translatable } from '../../format/translation.js';

/** What the page says of the act before its code is loaded. */
export const intro = translatable('lookIntro', {
  short: 'Look',
  title: 'Look: four heads, one sentence',
  lead: 'Each [head] answers the same question in its own way: *which words shall I look at?*',
  paragraphs: [],
});
