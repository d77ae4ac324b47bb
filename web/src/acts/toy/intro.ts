import { translatable } from '../../format/translation.js';

/** What the page says of the act before its code is loaded. */
export const intro = translatable('toyIntro', {
  short: 'Toy',
  title: 'The toy example',
  lead: 'The chapter tests its layer on the simplest input: [queries|query], [keys|key] and [values|value] that are all ones, in a batch of two samples.',
  paragraphs: [
    'The output has one vector per query, of the same size as the query.',
    'The [valid length] of a sample says how many of its keys may be attended to. The others are [masked|mask]: their weight is exactly 0, whatever they contain. They are hatched, because a masked key is not the same as a key with weight 0.',
  ],
});
