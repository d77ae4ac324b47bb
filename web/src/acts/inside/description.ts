import { translatable } from '../../format/translation.js';
import { type ActDescription, whenNear } from '../../ui/act.js';
import { createInsideStore } from './state.js';

/** What the page says of the act before its code is loaded. */
export const intro = translatable('insideIntro', {
  short: 'Inside',
  title: 'Inside an attention layer, step by step',
  lead: 'Nine steps lead from the input X of a [multi-head attention] layer to its output. Each step shows its numbers, its shapes and its line of the chapter’s code.',
});

export const description: ActDescription = {
  id: 'inside',
  order: 2,
  intro,
  open: whenNear(createInsideStore, async () => (await import('./act.js')).createInsideContent),
};
