import { Store } from '../../address/store.js';
import { type ActDescription, whenNear } from '../../ui/act.js';
import { intro } from './intro.js';
import { toyFields } from './state.js';

export const description: ActDescription = {
  id: 'toy',
  order: 1,
  intro,
  open: whenNear(
    () => new Store(toyFields),
    async () => (await import('./act.js')).createToyContent,
  ),
};
