import { type ActDescription, whenNear } from '../../ui/act.js';
import { intro } from './intro.js';
import { createKeysStore } from './state.js';

export const description: ActDescription = {
  id: 'equal-keys',
  order: 3,
  intro,
  open: whenNear(createKeysStore, async () => (await import('./act.js')).createKeysContent),
};
