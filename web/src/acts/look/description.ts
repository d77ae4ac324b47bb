import { type ActDescription, whenNear } from '../../ui/act.js';
import { createFirstScreen } from './first/first-screen.js';
import { intro } from './first/words.js';
import { look } from './state.js';

export const description: ActDescription = {
  id: 'look',
  order: 1,
  intro,
  opening: createFirstScreen,
  open: whenNear(
    () => look,
    async () => (await import('./act.js')).createLookContent,
  ),
};
