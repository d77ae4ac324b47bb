import { type ActDescription, whenNear } from '../../ui/act.js';
import { intro } from './intro.js';
import { createFigureStore } from './state.js';

export const description: ActDescription = {
  id: 'figure',
  order: 2,
  intro,
  open: whenNear(createFigureStore, async () => (await import('./act.js')).createFigureContent),
};
