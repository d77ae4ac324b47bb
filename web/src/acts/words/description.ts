import { Store } from '../../address/store.js';
import { type ActDescription, whenNear } from '../../ui/act.js';
import { intro } from './intro.js';
import { wordsFields } from './state.js';

export const description: ActDescription = {
  id: 'words',
  order: 7,
  intro,
  open: whenNear(
    () => new Store(wordsFields),
    async () => (await import('./act.js')).createWordsContent,
  ),
};
