import { type ActDescription, whenNear } from '../../ui/act.js';
import { intro } from './intro.js';
import { createWhyStore } from './state.js';

export const description: ActDescription = {
  id: 'why',
  order: 4,
  intro,
  open: whenNear(createWhyStore, async () => (await import('./act.js')).createWhyContent),
};
