import { type ActDescription, whenNear } from '../../ui/act.js';
import { intro } from './intro.js';
import { createHeadsStore } from './state.js';

export const description: ActDescription = {
  id: 'heads',
  order: 3,
  intro,
  open: whenNear(createHeadsStore, async () => (await import('./act.js')).createHeadsContent),
};
