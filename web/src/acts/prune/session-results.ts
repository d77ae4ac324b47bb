import { html, nothing, render } from 'lit-html';

import { formatCell, formatLoss, formatMilliseconds, formatPercent } from '../../format/numbers.js';
import { element } from '../../ui/dom.js';
import { createTokenStrip } from '../../ui/token-strip.js';
import { type Answer, type Answers, numRight, type Sequence } from '../../worker/answers.js';
import { allHeads } from '../../worker/heads.js';
import type { SessionState } from '../../worker/pruning-session.js';
import { symbolOf } from '../../worker/tasks.js';
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
  show(state: SessionState): void;
}

/** Quality and time of the full and of the pruned model. */
export function createQualityTable(): QualityTable {
  const root = element('div');
  const showRows = (rows: readonly (readonly string[])[]): void => {
    render(
      html`<table class="quality">
        <caption .textContent=${words.table}></caption>
        <thead>
          <tr>
            ${words.columns.map((name) => html`<th scope="col">${name}</th>`)}
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
      </table>`,
      root,
    );
  };
  showRows([]);
  return {
    root,
    show({ whole, left, pruned, wholeMilliseconds, prunedMilliseconds }) {
      const row = (
        name: string,
        heads: number,
        { loss, accuracy }: typeof whole,
        milliseconds: number,
      ): string[] => [
        name,
        String(heads),
        formatLoss(loss),
        formatPercent(accuracy),
        words.milliseconds(formatMilliseconds(milliseconds)),
      ];
      const heads = allHeads.length;
      showRows([
        row(words.whole, heads, whole, wholeMilliseconds),
        row(words.left, heads - pruned.length, left, prunedMilliseconds),
      ]);
    },
  };
}
