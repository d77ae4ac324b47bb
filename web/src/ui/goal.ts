import { html, render } from 'lit-html';

import { hideable } from '../address/hideable.js';
import { joinSentences, sentenceGap } from '../format/sentences.js';
import { element } from './dom.js';
import { announce } from './live-region.js';
import { words } from './words.js';

export interface Goal {
  readonly root: HTMLElement;
  /** Says how far the reader has come; a goal once reached stays so. */
  show(progress: string, isReached?: boolean): void;
  /** Not reached: what had reached it is no longer shown. */
  clear(): void;
}

/** What there is to find out in an act, and whether the reader has. */
export function createGoal(task: string): Goal {
  const progress = createProgress();
  const root = hideable('goal', element('div.goal', taskOf(task), progress));
  return { root, ...goalShow(progress, [root]) };
}

export interface GoalApart extends Goal {
  /** How far the reader has come. */
  readonly outcome: HTMLElement;
}

/**
 * A goal that is reached while a run goes on or a slider is dragged: what comes of it has a place of its own below the
 * controls, lest they move away under the pointer.
 */
export function createGoalApart(task: string): GoalApart {
  const progress = createProgress();
  const root = hideable('goal', element('div.goal', taskOf(task)));
  const outcome = hideable('goal', element('div.goal.goal-outcome', progress));
  return { root, outcome, ...goalShow(progress, [root, outcome]) };
}

const createProgress = (): HTMLElement => element('p.goal-progress');

const taskOf = (task: string): HTMLElement =>
  element('p', element('strong', words.goal.name), sentenceGap(), task);

/** @param parts that tell by their looks that the goal is reached */
function goalShow(
  progress: HTMLElement,
  parts: readonly HTMLElement[],
): Pick<Goal, 'show' | 'clear'> {
  let reached = '';
  const mark = (told: string): void => {
    reached = told;
    for (const part of parts) part.toggleAttribute('data-reached', told !== '');
  };
  const show: Goal['show'] = (told, isReached = false) => {
    if (isReached) {
      if (reached === '') announce(joinSentences([words.goal.reached, told]));
      mark(told);
    }
    render(
      reached === ''
        ? told
        : html`<strong>${words.goal.reached}</strong>${sentenceGap() + reached}`,
      progress,
    );
  };
  const clear = (): void => {
    mark('');
    show('');
  };
  return { show, clear };
}
