import { Store } from '../../address/store.js';
import { type ActDescription, withPage } from '../../ui/act.js';
import { createToyContent } from './act.js';
import { intro } from './intro.js';
import { toyFields } from './state.js';

export const description: ActDescription = {
  id: 'toy',
  order: 1,
  intro,
  open: withPage(() => new Store(toyFields), createToyContent),
};
