import { translatable } from '../../format/translation.js';
import { type ActDescription, whenNear } from '../../ui/act.js';
import { createTranslateStore } from './state.js';

/** What the page says of the act before its code is loaded. */
export const intro = translatable('translateIntro', {
  short: 'Translate',
  title: 'Translate: reading the alignment',
  lead: 'An [encoder] reads a date in words, and a [decoder] writes it as ISO 8601. In cross-attention the decoder’s queries attend to the encoder’s output.',
  paragraphs: [
    'For every output character we know which input characters it comes from. So we can compare a head’s [attention weights|attention weight] with the true alignment.',
  ],
});

export const description: ActDescription = {
  id: 'translate',
  order: 5,
  intro,
  open: whenNear(
    createTranslateStore,
    async () => (await import('./act.js')).createTranslateContent,
  ),
};
