import { type ActDescription, whenNear } from '../../ui/act.js';
import { intro } from './intro.js';
import { createPruneStore } from './state.js';

export const description: ActDescription = {
  id: 'prune',
  order: 6,
  intro,
  open: whenNear(createPruneStore, async () => (await import('./act.js')).createPruneContent),
};
