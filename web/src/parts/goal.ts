import { element } from '../dom.js';
import { hideable } from '../state/hidden.js';
import { text } from '../text/index.js';

export interface Goal {
  readonly root: HTMLElement;
  /** Says how far the reader has come; a goal once reached stays so. */
  show(words: string, isReached?: boolean): void;
}

/** What there is to find out in an act, and whether the reader has. */
export function createGoal(task: string): Goal {
  const progress = element('p', { class: 'goal-progress', role: 'status' });
  const root = element(
    'div',
    { class: 'goal' },
    element('p', {}, element('strong', {}, `${text.goal.name}: `), task),
    progress,
  );
  let reached = '';
  return {
    root: hideable('goal', root),
    show(words, isReached = false) {
      if (isReached) {
        reached = words;
        root.toggleAttribute('data-reached', true);
      }
      const shown = isReached || reached === '' ? words : reached;
      const line =
        reached === '' ? [shown] : [element('strong', {}, `${text.goal.reached}. `), shown];
      // A live region speaks of every change: none where nothing new is said.
      const spoken = reached === '' ? shown : `${text.goal.reached}. ${shown}`;
      if (progress.textContent !== spoken) progress.replaceChildren(...line);
    },
  };
}
