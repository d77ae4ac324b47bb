import { html, render } from 'lit-html';

import { hideable } from '../address/hideable.js';
import { joinSentences, sentenceGap } from '../format/sentences.js';
import { element, marked } from './dom.js';
import { announce } from './live-region.js';
import { words } from './words.js';

/**
 * The task of an act, and how far the reader has come. The outcome stands below the controls, so that none of them moves
 * away under the pointer when the goal is reached. With `hasRoom`, room for it is kept below the task instead.
 */
export function createGoal(task: string, hasRoom = false) {
  const progress = element('p.goal-progress');
  const asked = element('p', element('strong', words.goal.name), sentenceGap(), task);
  const root = hideable('goal', element('div.goal', asked));
  const outcome = hideable('goal', element('div.goal.goal-outcome'));
  root.classList.toggle('goal-reserved', hasRoom);
  (hasRoom ? root : outcome).append(progress);
  let reached = '';
  /** Says how far the reader has come; a goal once reached stays so. */
  const show = (told: string, isReached = false): void => {
    if (isReached && reached === '') announce(joinSentences([words.goal.reached, told]));
    if (isReached) reached = told;
    for (const part of [root, outcome]) part.toggleAttribute('data-reached', reached !== '');
    render(
      reached === ''
        ? marked(told)
        : html`<strong>${words.goal.reached}</strong>${marked(sentenceGap() + reached)}`,
      progress,
    );
  };
  /** Not reached: what had reached it is no longer shown. */
  const clear = (): void => {
    reached = '';
    show('');
  };
  return { root, outcome, show, clear };
}
