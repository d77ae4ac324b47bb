import { html, nothing, render } from 'lit-html';

import { formatNumber, formatShape, formatTight } from '../../format/numbers.js';
import { element, marked, withHeadColour } from '../../ui/dom.js';
import { announce } from '../../ui/live-region.js';
import { bandOf, coloursOf, isMaskedCell, paint } from './figure.js';
import { type Pass, shapeOf, shareOf } from './pass.js';
import { isMap, type Part } from './steps.js';
import { spokenOf, words } from './words.js';

export type MatrixView = ReturnType<typeof createMatrixView>;

/** Up to so many rows and columns, cells have room for their numbers. */
const maxPrinted = 12;

/** At most four characters, up to 999. */
const formatPrinted = (value: number): string =>
  Math.abs(value) < 0.995
    ? formatTight(value)
    : value.toFixed(Math.abs(value) < 9.95 ? 1 : 0).replace('-', '−');

/** Parts without a row for each token. */
const isParameter = (part: Part): boolean => part.startsWith('W_');

/**
 * A part drawn large: its numbers as colours, the tokens of its rows, and the number under the pointer or the arrow keys.
 *
 * @param onLook called with a sentence about a number, and its weight if it is one; with nothing when the pointer leaves
 */
export function createMatrixView(onLook: (sentence: string | undefined, weight?: number) => void) {
  const canvas = element('canvas');
  const ring = element('span.inside-ring', { hidden: true });
  const caption = element('figcaption');
  const tokens = element('div.inside-tokens.soft', { 'aria-hidden': 'true' });
  const numbers = element('div.inside-printed', { 'aria-hidden': 'true' });
  const bands = element('div.inside-bands');
  const cells = element(
    'div.inside-cells',
    { role: 'img', tabindex: 0 },
    element('div.inside-clip', canvas),
    numbers,
    bands,
    ring,
  );
  const root = element('figure.inside-matrix', caption, tokens, cells);
  let shown: { pass: Pass; part: Part; head: number; first: number; rows: number } | undefined;
  let [row, column] = [0, 0];

  function look(): string {
    if (shown === undefined) return '';
    const { pass, part, head, first, rows } = shown;
    const { columns, data } = pass.matrixOf(part, head);
    row = Math.min(Math.max(row, 0), rows - 1);
    column = Math.min(Math.max(column, 0), columns - 1);
    const value = data[(first + row) * columns + column] ?? NaN;
    const sentence = sentenceOf(pass, part, first + row, column, value);
    ring.hidden = false;
    ring.style.cssText = `left: ${(100 * column) / columns}%; top: ${(100 * row) / rows}%; width: ${100 / columns}%; height: ${100 / rows}%`;
    Object.assign(root.dataset, { row: first + row, column, value });
    onLook(sentence, part === 'weights' ? value : undefined);
    return sentence;
  }
  function leave(): void {
    ring.hidden = true;
    for (const name of ['row', 'column', 'value']) root.removeAttribute(`data-${name}`);
    onLook(undefined);
  }
  cells.addEventListener('pointermove', ({ clientX, clientY }) => {
    if (shown === undefined) return;
    const { left, top, width, height } = cells.getBoundingClientRect();
    const { columns } = shown.pass.matrixOf(shown.part, shown.head);
    column = Math.floor(((clientX - left) / width) * columns);
    row = Math.floor(((clientY - top) / height) * shown.rows);
    look();
  });
  cells.addEventListener('pointerleave', leave);
  cells.addEventListener('blur', leave);
  cells.addEventListener('focus', () => {
    if (cells.matches(':focus-visible')) look();
  });
  cells.addEventListener('keydown', (event) => {
    const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[
      event.key
    ];
    if (by === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    row += by[0];
    column += by[1];
    announce(look());
  });

  return {
    root,
    draw(pass: Pass, part: Part, head: number): void {
      const { rows: allRows, columns, data } = pass.matrixOf(part, head);
      const share = shareOf(pass, part, head);
      // Of a projection's weights only the rows of the head: all would be too many to see.
      const isCut = share?.along === 'rows';
      const rows = isCut ? Math.round(allRows * share.size) : allRows;
      const first = isCut ? Math.round(allRows * share.from) : 0;
      shown = { pass, part, head, first, rows };
      withHeadColour(root, head);
      root.dataset.part = part;
      const sizes = { rows, columns, first, 'all-rows': allRows };
      for (const [name, size] of Object.entries(sizes)) {
        root.style.setProperty(`--${name}`, String(size));
      }
      const name = isCut ? words.rowsOfHead(spokenOf(part), head + 1) : spokenOf(part);
      const shape = formatShape(isCut ? [rows, columns] : shapeOf(pass, part));
      caption.replaceChildren(...marked(`${name} ${shape}`));
      cells.setAttribute('aria-label', words.matrix(name, shape));
      paint(canvas, pass, part, head);
      const isNamed = !isParameter(part);
      render(
        isNamed ? pass.tokens.map((token) => html`<span class="clipped">${token}</span>`) : nothing,
        tokens,
      );
      const isPrinted = rows <= maxPrinted && columns <= maxPrinted;
      root.toggleAttribute('data-printed', isPrinted);
      const { ink } = coloursOf(pass, part, head);
      render(
        isPrinted
          ? Array.from(data.subarray(first * columns, (first + rows) * columns), (value, at) =>
              isMaskedCell(pass, part, Math.floor(at / columns), at % columns)
                ? html`<span></span>`
                : html`<span .style=${`color: ${ink(value)}`}>${formatPrinted(value)}</span>`,
            )
          : nothing,
        numbers,
      );
      render(isCut ? nothing : bandOf(pass, part, head), bands);
      leave();
    },
  };
}

function sentenceOf(pass: Pass, part: Part, row: number, column: number, value: number): string {
  const name = spokenOf(part);
  const nameOf = (at: number): string => pass.tokens[at] ?? '';
  if (isMaskedCell(pass, part, row, column)) {
    return words.pairCell(name, nameOf(row), nameOf(column), part === 'weights' ? '0' : '−∞', true);
  }
  const number = formatNumber(value);
  if (isMap(part)) return words.pairCell(name, nameOf(row), nameOf(column), number, false);
  if (isParameter(part)) return words.parameterCell(name, row + 1, column + 1, number);
  return words.tokenCell(name, nameOf(row), column + 1, number);
}
