import { Store } from '../../address/store.js';
import { type ActDescription, whenNear } from '../../ui/act.js';
import { intro } from './intro.js';
import { questionsFields } from './state.js';

export const description: ActDescription = {
  id: 'questions',
  order: 9,
  intro,
  isIndex: true,
  open: whenNear(
    () => new Store(questionsFields),
    async () => (await import('./act.js')).createQuestionsContent,
  ),
};
