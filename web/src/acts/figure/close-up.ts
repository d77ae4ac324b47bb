import { formatNumber, formatTight } from '../../format/numbers.js';
import { element } from '../../ui/dom.js';
import { withHeadColour } from '../../ui/head-colour.js';
import { bandOf, coloursOf, isMaskedCell } from './colours.js';
import { type Pass, sizes } from './pass.js';
import { isMap, type Part, steps, type StepNumber } from './steps.js';
import { words } from './words.js';

/** The numbers that a step reads and makes, of the head in front. */
export function drawCloseUp(root: HTMLElement, pass: Pass, step: StepNumber, head: number): void {
  const { enlarged, results } = steps[step];
  root.replaceChildren(
    ...enlarged.flatMap((part) => {
      const isResult = results.includes(part);
      const sign = part === enlarged[0] ? [] : [isResult ? '→' : signOf(step)];
      return [
        ...sign.map((each) =>
          element('span', { class: 'figure-sign', 'aria-hidden': 'true' }, each),
        ),
        tableOf(pass, part, head, isResult),
      ];
    }),
  );
}

/** What stands between two operands; the split has three results and none. */
function signOf(step: StepNumber): string {
  if (step === 1 || step === 3) return words.timesTransposed;
  return step === 7 ? '×' : '';
}

function tableOf(pass: Pass, part: Part, head: number, isResult: boolean): HTMLElement {
  const name = words.spoken(part, head + 1);
  const { fill, ink } = coloursOf(pass, part, head);
  const [first, last] = part.startsWith('W_')
    ? [head * pass.headSize, (head + 1) * pass.headSize]
    : [0, sizes.length];
  const all = pass.rowsOf(part, head).map((row, at) =>
    element(
      'tr',
      {},
      ...row.map((value, column) => {
        const masked = isMaskedCell(pass, part, at, column);
        const cell = element('td', {}, value === -Infinity ? '−∞' : formatTight(value));
        if (masked) cell.dataset.masked = '';
        else {
          cell.style.setProperty('--fill', fill(value));
          cell.style.color = ink(value);
        }
        if (bandOf(pass, part, at, column) === head) {
          withHeadColour(cell, head);
          cell.dataset.own = part.startsWith('W_') ? 'row' : 'column';
        }
        return cell;
      }),
    ),
  );
  const caption = captionOf(part, name, head);
  return element(
    'div',
    { class: 'figure-table', tabindex: 0, role: 'region', 'aria-label': caption },
    element(
      'table',
      { 'data-part': part, 'data-result': isResult },
      element('caption', {}, caption),
      element('tbody', {}, ...all.slice(first, last)),
    ),
  );
}

function captionOf(part: Part, name: string, head: number): string {
  if (part.startsWith('W_')) return words.rowsCaption(name, head + 1);
  return isMap(part) ? words.mapCaption(name) : name;
}

/** A number as the read-out tells it. */
export const spokenValue = (value: number, masked: boolean): string =>
  masked ? `${formatNumber(value)}, ${words.maskedValue}` : formatNumber(value);
