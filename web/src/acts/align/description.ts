import { type ActDescription, whenNear } from '../../ui/act.js';
import { intro } from './intro.js';
import { createAlignStore } from './state.js';

export const description: ActDescription = {
  id: 'align',
  order: 8,
  intro,
  open: whenNear(createAlignStore, async () => (await import('./act.js')).createAlignContent),
};
