import { translatable } from '../../format/translation.js';
import { type ActDescription, whenNear } from '../../ui/act.js';
import { createPruneStore } from './state.js';

/** What the page says of the act before its code is loaded. */
export const intro = translatable('pruneIntro', {
  short: 'Prune',
  title: 'Which heads matter, and which can go',
  lead: 'To test an importance measure we need to know the right answer, so here we plant it. Then the same measures prune a real model.',
  paragraphs: [
    'While the planted model learns, only four of its twelve heads are open: two attend to the previous token, two find the token that followed the same token before. Then the other eight are opened. *Sharp* heads put nearly all weight on one key and contribute nothing. *Quiet* heads keep their random initial parameters.',
    '[Ablation] measures how much the loss increases without a head. The [gradient] is the slope of the loss at the head’s gate. Confidence and [entropy] only measure how concentrated a head’s weights are. Which measures are misled?',
    'For the language model nobody knows the right answer. There the loss decides: how much does it increase on text that was not used in training?',
  ],
});

export const description: ActDescription = {
  id: 'prune',
  order: 6,
  intro,
  open: whenNear(createPruneStore, async () => (await import('./act.js')).createPruneContent),
};
