import { element } from '../dom.js';
import { formatNumber, formatShape } from '../format.js';
import type { PartNumbers } from '../layer/part-numbers.js';
import { text } from '../text/index.js';

const shownRows = 8;
const shownColumns = 8;

/** A matrix as far as it fits, and the shape of the whole. */
export function createNumberTable(title: string, about: string, numbers: PartNumbers): HTMLElement {
  const { shape, rows } = numbers;
  const columns = rows[0]?.length ?? 0;
  const isWhole = rows.length <= shownRows && columns <= shownColumns;
  const size = formatShape([rows.length, columns]);
  const cell = (value: number): HTMLElement => element('td', {}, formatNumber(value));
  const dots = (): HTMLElement => element('td', { 'aria-hidden': 'true' }, '…');
  const body = rows
    .slice(0, shownRows)
    .map((row) =>
      element(
        'tr',
        {},
        ...row.slice(0, shownColumns).map(cell),
        ...(columns > shownColumns ? [dots()] : []),
      ),
    );
  return element(
    'div',
    { class: 'numbers' },
    element('h4', {}, title, ' ', element('span', { class: 'numbers-shape' }, formatShape(shape))),
    element('p', { class: 'note' }, about),
    element(
      'div',
      { class: 'numbers-scroll', tabindex: 0, role: 'region', 'aria-label': title },
      element('table', {}, element('tbody', {}, ...body)),
    ),
    element(
      'p',
      { class: 'note' },
      isWhole
        ? text.layer.whole(size)
        : text.layer.truncated(
            Math.min(rows.length, shownRows),
            Math.min(columns, shownColumns),
            size,
          ),
    ),
  );
}
