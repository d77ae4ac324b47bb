import { translatable } from '../../format/translation.js';

/** What the page says of the act before its code is loaded. */
export const intro = translatable('figureIntro', {
  short: 'Figure',
  title: 'The figure, step by step',
  lead: 'The chapter’s figure of [multi-head attention] with the numbers of one sample: nine steps from the input X to the output, each with its line of the chapter’s code.',
  paragraphs: [],
});
