import { type ActDescription, whenNear } from '../../ui/act.js';
import { intro } from './intro.js';
import { createTranslateStore } from './state.js';

export const description: ActDescription = {
  id: 'translate',
  order: 5,
  intro,
  open: whenNear(
    createTranslateStore,
    async () => (await import('./act.js')).createTranslateContent,
  ),
};
