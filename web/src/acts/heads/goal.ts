import { max, range } from 'd3-array';
import { html, render } from 'lit-html';

import type { Store } from '../../address/store.js';
import type { AttentionView } from '../../attention/attention-view.js';
import { formatShort } from '../../format/numbers.js';
import { element } from '../../ui/dom.js';
import { withHeadColour } from '../../ui/head-colour.js';
import { say } from '../../ui/live-region.js';
import { createGoal } from '../../ui/goal.js';
import { evidenceOf } from './pattern-evidence.js';
import type { HeadsState } from './state.js';
import { words } from './words.js';

export interface HeadGoal {
  readonly root: HTMLElement;
  show(view: AttentionView, state: HeadsState): void;
}

/** Finding the head that looks three back among heads that are not named. */
export function createHeadGoal(store: Store<HeadsState>): HeadGoal {
  const goal = createGoal(words.goal.task);
  const answers = element('div', {
    class: 'head-answers',
    role: 'group',
    'aria-label': words.goal.question,
  });
  const told = element('p', { class: 'head-told' });
  goal.root.append(told);
  // Below the task, above what came of it.
  goal.root.firstElementChild?.after(answers);
  const choose = (answer: number): void => {
    store.change({ answer, head: answer });
  };
  return {
    root: goal.root,
    show(view, { input, heads, answer }) {
      const isAsked = input === 'patterns';
      answers.hidden = !isAsked;
      render(
        html` ${range(1, heads + 1).map(
          (head) =>
            html`<button
              type="button"
              aria-pressed=${String(head === answer)}
              aria-label=${words.goal.answer(head)}
              @click=${() => {
                choose(head);
              }}
              .textContent=${String(head)}
            ></button>`,
        )}`,
        answers,
      );
      answers.querySelectorAll<HTMLElement>('button').forEach(withHeadColour);
      say(told, isAsked && answer > 0 ? outcome(view, answer) : '');
      goal.show('');
      if (isAnswered(view, answer)) goal.show(words.goal.reached, true);
    },
  };
}

/** Whether the head that was chosen looks three back: by its weights, not by what was planted. */
export function isAnswered(view: AttentionView, answer: number): boolean {
  return answer > 0 && evidenceOf(view, answer - 1).pattern === 'copy';
}

function outcome(view: AttentionView, answer: number): string {
  const { pattern, weight, onCopy } = evidenceOf(view, answer - 1);
  const others = range(view.numHeads).filter((head) => head !== answer - 1);
  const elsewhere = max(others, (head) => evidenceOf(view, head).onCopy) ?? 0;
  return words.goal.outcomes[pattern]({
    head: answer,
    weight: formatShort(weight),
    onCopy: formatShort(onCopy),
    elsewhere: formatShort(elsewhere),
  });
}
