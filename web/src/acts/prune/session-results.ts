import { html, nothing, render } from 'lit-html';

import {
  formatCell,
  formatLoss,
  formatMilliseconds,
  formatPercent,
  formatShort,
} from '../../format/numbers.js';
import { element } from '../../ui/dom.js';
import { createTokenStrip } from '../../ui/token-strip.js';
import { type Answer, type Answers, numRight, type Sequence } from '../../worker/answers.js';
import { allHeads } from '../../worker/heads.js';
import type { SessionState } from '../../worker/pruning-session.js';
import { symbolOf } from '../../worker/tasks.js';
import type { TimedPairs } from '../../worker/timing.js';
import { words } from './words.js';

export interface AnswerStrip {
  readonly root: HTMLElement;
  /** To another sequence, if one is given. */
  show(answers: Answers, sequence?: Sequence): void;
}

/** The predictions of the model in the session for one sequence, and which of them are correct. */
export function createAnswerStrip(): AnswerStrip {
  const strip = createTokenStrip();
  let sequence: Sequence = { tokens: new Int32Array(), targets: new Int32Array() };
  strip.root.classList.add('answers');
  return {
    root: strip.root,
    show(answers, other = sequence) {
      sequence = other;
      const { tokens, targets } = sequence;
      const asked = answers.filter((answer) => answer !== undefined).length;
      strip.show(
        words.answered(numRight(sequence, answers), asked),
        Array.from(tokens, symbol),
        (at) => answerBelow(answers[at], targets[at]),
      );
    },
  };
}

const symbol = (token: number): string => symbolOf('induction', token);

function answerBelow(answer: Answer | undefined, target: number): HTMLElement | typeof nothing {
  if (answer === undefined) return nothing;
  const { token, probability } = answer;
  const isRight = token === target;
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
}

export interface QualityTable {
  readonly root: HTMLElement;
  /** @param timing undefined while it is measured */
  show(state: SessionState, timing: TimedPairs | undefined): void;
}

/** Quality and time of the full and of the pruned model. */
export function createQualityTable(): QualityTable {
  const root = element('div');
  const showRows = (rows: readonly (readonly string[])[], note: string): void => {
    render(
      html`<table class="quality">
          <caption .textContent=${words.table}></caption>
          <thead>
            <tr>
              <td></td>
              ${[words.whole, words.left].map((name) => html`<th scope="col">${name}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${rows.map(
              ([name, ...numbers]) =>
                html`<tr>
                  <th scope="row">${name}</th>
                  ${numbers.map((number) => html`<td>${number}</td>`)}
                </tr>`,
            )}
          </tbody>
        </table>
        <p class="measure-note" .textContent=${note}></p>`,
      root,
    );
  };
  showRows([], '');
  return {
    root,
    show({ whole, left, pruned }, timing) {
      const { rows } = words;
      const both = (format: (one: typeof whole) => string): string[] => [
        format(whole),
        format(left),
      ];
      const isWhole = pruned.length === 0;
      const milliseconds = (time: number | undefined): string => {
        if (isWhole) return words.notTimed;
        return time === undefined ? words.measuring : words.milliseconds(formatMilliseconds(time));
      };
      const heads = allHeads.length;
      showRows(
        [
          [rows.heads, String(heads), String(heads - pruned.length)],
          [rows.loss, ...both(({ loss }) => formatLoss(loss))],
          [rows.accuracy, ...both(({ accuracy }) => formatPercent(accuracy))],
          [rows.time, milliseconds(timing?.whole), milliseconds(timing?.pruned)],
        ],
        timing === undefined
          ? ''
          : words.ratio(
              formatShort(timing.ratio),
              formatShort(timing.lower),
              formatShort(timing.upper),
              timing.pairs,
            ),
      );
    },
  };
}
