import { translatable } from '../../format/translation.js';

/** What the page says of the act before its code is loaded. */
export const intro = translatable('questionsIntro', {
  short: 'Questions',
  title: 'Questions',
  lead: 'What readers of the chapter ask. Each answer links to a view of this page that shows it.',
  paragraphs: [],
});
