import { Store } from '../../address/store.js';
import { type ActDescription, whenNear } from '../../ui/act.js';
import { intro } from './intro.js';
import { trainFields } from './state.js';

export const description: ActDescription = {
  id: 'train',
  order: 4,
  intro,
  open: whenNear(
    () => new Store(trainFields),
    async () => (await import('./act.js')).createTrainContent,
  ),
};
