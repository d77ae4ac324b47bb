import { formatCell, formatLoss, formatMilliseconds, formatPercent } from '../../format/numbers.js';
import { element } from '../../ui/dom.js';
import { createTokenStrip } from '../../ui/token-strip.js';
import { type Answers, numRight, type Sequence } from '../../worker/answers.js';
import { allHeads } from '../../worker/heads.js';
import type { SessionState } from '../../worker/pruning-session.js';
import { symbolOf } from '../../worker/tasks.js';
import { words } from './words.js';

export interface AnswerStrip {
  readonly root: HTMLElement;
  /** To another sequence, if one is given. */
  show(answers: Answers, sequence?: Sequence): void;
}

/** What the model in the session says to one sequence: its answers, and which of them are right. */
export function createAnswerStrip(): AnswerStrip {
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

export interface QualityTable {
  readonly root: HTMLElement;
  show(state: SessionState): void;
}

/** What the whole model can do and how long it takes, and what is left of both. */
export function createQualityTable(): QualityTable {
  const body = element('tbody');
  const row = (name: string, ...numbers: readonly string[]): HTMLElement =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, name),
      ...numbers.map((number) => element('td', {}, number)),
    );
  return {
    root: element(
      'table',
      { class: 'quality' },
      element('caption', {}, words.table),
      element(
        'thead',
        {},
        element('tr', {}, ...words.columns.map((name) => element('th', { scope: 'col' }, name))),
      ),
      body,
    ),
    show({ whole, left, pruned, wholeMilliseconds, prunedMilliseconds }) {
      const time = (milliseconds: number): string =>
        words.milliseconds(formatMilliseconds(milliseconds));
      body.replaceChildren(
        row(
          words.whole,
          String(allHeads.length),
          formatLoss(whole.loss),
          formatPercent(whole.accuracy),
          time(wholeMilliseconds),
        ),
        row(
          words.left,
          String(allHeads.length - pruned.length),
          formatLoss(left.loss),
          formatPercent(left.accuracy),
          time(prunedMilliseconds),
        ),
      );
    },
  };
}
