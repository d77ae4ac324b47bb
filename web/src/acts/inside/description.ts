import { type ActDescription, whenNear } from '../../ui/act.js';
import { intro } from './intro.js';
import { createInsideStore } from './state.js';

export const description: ActDescription = {
  id: 'inside',
  order: 2,
  intro,
  open: whenNear(createInsideStore, async () => (await import('./act.js')).createInsideContent),
};
