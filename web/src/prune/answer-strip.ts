import { element } from '../dom.js';
import { formatCell, formatPercent } from '../format.js';
import { numRight, type Answers, type Sequence } from '../lab/answers.js';
import { symbolOf } from '../lab/tasks.js';
import { text } from '../text/index.js';
import { createTokenStrip } from '../train/token-strip.js';

export interface AnswerStrip {
  readonly root: HTMLElement;
  /** To another sequence, if one is given. */
  show(answers: Answers, sequence?: Sequence): void;
}

/** What the model on the bench says to one sequence: its answers, and which of them are right. */
export function createAnswerStrip(): AnswerStrip {
  const words = text.prune;
  const strip = createTokenStrip({ isLive: true });
  let sequence: Sequence = { tokens: new Int32Array(), targets: new Int32Array() };
  const symbol = (token: number): string => symbolOf('induction', token);
  strip.root.classList.add('answers');
  return {
    root: strip.root,
    show(answers, other = sequence) {
      sequence = other;
      const { tokens, targets } = sequence;
      const asked = answers.filter((answer) => answer !== undefined).length;
      const name = words.answered(numRight(sequence, answers), asked);
      strip.show(name, Array.from(tokens, symbol), (position) => {
        const answer = answers[position];
        if (answer === undefined) return undefined;
        const { token, probability } = answer;
        const isRight = token === targets[position];
        const said = symbol(token);
        return element(
          'span',
          {
            class: 'answer',
            role: 'img',
            'data-right': String(isRight),
            'aria-label': words.answer(said, formatPercent(probability), isRight),
          },
          isRight ? said : `${said}${words.wrong}`,
          element('span', { class: 'probability' }, formatCell(probability)),
        );
      });
    },
  };
}
