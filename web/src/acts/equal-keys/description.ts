import { translatable } from '../../format/translation.js';
import { type ActDescription, whenNear } from '../../ui/act.js';
import { createKeysStore } from './state.js';

/** What the page says of the act before its code is loaded. */
export const intro = translatable('keysIntro', {
  short: 'Equal keys',
  title: 'Equal keys, equal weights',
  lead: 'The chapter tests its layer on [queries|query], [keys|key] and [values|value] that are all ones. Predict what its five heads do with them, then test your prediction.',
  paragraphs: [
    'Every head [projects|projection] the same keys with parameters of its own. If all keys are equal, so are their projections, and each query gives all of them the same [score]. Only different keys show that the heads differ.',
    'The [valid length] says how many keys may be attended to. The others are [masked|mask]: their weight is exactly 0, whatever they contain. They are hatched, because a masked key is not the same as a key with weight 0.',
  ],
});

export const description: ActDescription = {
  id: 'equal-keys',
  order: 3,
  intro,
  open: whenNear(createKeysStore, async () => (await import('./act.js')).createKeysContent),
};
