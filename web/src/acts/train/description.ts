import { Store } from '../../address/store.js';
import { translatable } from '../../format/translation.js';
import { type ActDescription, whenNear } from '../../ui/act.js';
import { trainFields } from './state.js';

/** What the page says of the act before its code is loaded. */
export const intro = translatable('trainIntro', {
  short: 'Train',
  title: 'Train: heads take roles',
  lead: 'Train a small model and watch its heads learn. A rising line shows a head taking a role.',
  paragraphs: [
    'The model has attention layers only. Each task defines which key every query should attend to, and the lines beside a map show the share of the head’s [attention weight] on those keys. Drag the handle on the loss curve, or press an event, to see every head after that step.',
    '[Induction|induction head] needs two heads in successive layers. The first attends to the previous token; the second uses this to find what followed the same token earlier. The arcs below the maps show both for one query: point at a token, or tap it.',
  ],
});

export const description: ActDescription = {
  id: 'train',
  order: 4,
  intro,
  open: whenNear(
    () => new Store(trainFields),
    async () => (await import('./act.js')).createTrainContent,
  ),
};
