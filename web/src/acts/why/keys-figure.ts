import { max, range } from 'd3-array';
import { scaleLinear } from 'd3-scale';

import { formatSetting, formatShort, formatSigned, formatWeight } from '../../format/numbers.js';
import { setAttributes, svg } from '../../ui/dom.js';
import { withHeadColour } from '../../ui/head-colour.js';
import { asButton } from '../../ui/svg-button.js';
import type { Weighed } from './layer.js';
import { numTokens } from './state.js';
import { words } from './words.js';

export interface KeysFigure {
  readonly root: SVGSVGElement;
  /** `key` is the chosen one, from 0. */
  draw(weighed: Weighed, key: number): void;
}

interface Row {
  readonly root: SVGGElement;
  readonly back: SVGRectElement;
  readonly name: SVGTextElement;
  /** The score as it is, and divided. */
  readonly whole: SVGRectElement;
  readonly score: SVGRectElement;
  readonly weight: SVGRectElement;
  /** Beside the button, whose name tells the numbers in a sentence. */
  readonly numbers: SVGGElement;
  readonly scoreText: SVGTextElement;
  readonly weightText: SVGTextElement;
}

const [top, rowHeight, bar] = [40, 27, 15] as const;
const height = top + numTokens * rowHeight + 4;

/** Where the columns of names, scores and weights are. */
const columnsOf = (width: number) => {
  const name = width < 420 ? 50 : 62;
  const numbers = width < 420 ? 48 : 52;
  const bars = (width - name - 2 * numbers - 24) / 2;
  return {
    score: [name, name + bars],
    scoreText: name + bars + numbers,
    weight: [name + bars + numbers + 22, name + 2 * bars + numbers + 22],
    weightText: width - 2,
  } as const;
};

/** The scores of all keys for a query, divided, and the weights that softmax makes of them. */
export function createKeysFigure(onKey: (key: number) => void): KeysFigure {
  const rows = range(numTokens).map((key) => createRow(key, onKey));
  const axes = svg('g', { class: 'why-axes' });
  const root = svg(
    'svg',
    { class: 'why-keys', role: 'group', 'aria-label': words.keys, height },
    axes,
    ...rows.flatMap(({ root: button, numbers }) => [button, numbers]),
  );
  root.addEventListener('keydown', (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const at = rows.findIndex((row) => row.root === document.activeElement);
    if (by === undefined || at < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    rows[(at + by + numTokens) % numTokens]?.root.focus();
  });

  let shown: readonly [Weighed, number] | undefined;
  let width = 0;
  const redraw = (): void => {
    if (shown === undefined || width === 0) return;
    const [weighed, key] = shown;
    setAttributes(root, { viewBox: `0 0 ${width} ${height}` });
    axes.replaceChildren(...drawAxes(weighed, width));
    rows.forEach((row, at) => {
      drawRow(row, weighed, at, at === key, width);
    });
  };
  new ResizeObserver(([entry]) => {
    const found = Math.round(entry.contentRect.width);
    if (found === width) return;
    width = found;
    redraw();
  }).observe(root);
  return {
    root,
    draw(weighed, key) {
      shown = [weighed, key];
      redraw();
    },
  };
}

function createRow(key: number, onKey: (key: number) => void): Row {
  const middle = rowHeight / 2;
  const barAt = { y: middle - bar / 2, height: bar };
  const back = svg('rect', { class: 'why-row-back', x: 0, y: 1, height: rowHeight - 2, rx: 3 });
  const name = svg('text', { class: 'why-name', x: 7, y: middle });
  const whole = svg('rect', { class: 'why-whole', ...barAt });
  const score = svg('rect', { class: 'why-score', ...barAt });
  const scoreText = svg('text', { class: 'why-number', y: middle });
  const weight = svg('rect', { class: 'why-weight', ...barAt });
  const weightText = svg('text', { class: 'why-number', y: middle });
  const transform = `translate(0 ${top + key * rowHeight})`;
  const numbers = svg(
    'g',
    { class: 'why-numbers', transform, 'aria-hidden': 'true' },
    scoreText,
    weightText,
  );
  const root = asButton(
    svg(
      'g',
      { class: 'why-key', transform, 'data-key': key },
      ...[back, name, whole, score, weight],
    ),
    () => {
      onKey(key);
    },
  );
  return { root, back, name, whole, score, weight, numbers, scoreText, weightText };
}

const largestScore = ({ scores }: Weighed): number => max(scores, Math.abs) ?? 0;

const scalesOf = (weighed: Weighed, width: number) => {
  const columns = columnsOf(width);
  const largest = largestScore(weighed) || 1;
  return {
    columns,
    score: scaleLinear([-largest, largest], columns.score),
    weight: scaleLinear([0, 1], columns.weight),
  };
};

function drawRow(row: Row, weighed: Weighed, key: number, isChosen: boolean, width: number): void {
  const { columns, score: x, weight: share } = scalesOf(weighed, width);
  const score = weighed.scores[key] ?? NaN;
  const weight = weighed.weights[key] ?? NaN;
  const divided = score / weighed.divisor;
  const token = words.tokens[key] ?? '';
  const between = (value: number) => ({
    x: Math.min(x(0), x(value)),
    width: Math.abs(x(value) - x(0)),
  });
  setAttributes(row.root, {
    'aria-pressed': isChosen ? 'true' : 'false',
    'aria-label': words.key(key + 1, token, formatSigned(divided), formatWeight(weight)),
    'data-score': score,
    'data-scaled': divided,
    'data-weight': weight,
  });
  setAttributes(row.numbers, { 'data-chosen': isChosen });
  setAttributes(row.back, { width });
  row.name.textContent = token;
  setAttributes(row.whole, { ...between(score), 'data-lowers': score < 0 });
  setAttributes(row.score, { ...between(divided), 'data-lowers': score < 0 });
  setAttributes(row.scoreText, { x: columns.scoreText });
  row.scoreText.textContent = formatSigned(divided);
  setAttributes(row.weight, { x: share(0), width: share(weight) - share(0) });
  withHeadColour(row.weight, weighed.head);
  setAttributes(row.weightText, { x: columns.weightText });
  row.weightText.textContent = formatShort(weight);
}

/** What the columns are, where a score is 0, and what a weight is when all are alike. */
function drawAxes(weighed: Weighed, width: number): SVGElement[] {
  const { columns, score, weight } = scalesOf(weighed, width);
  const down = { y1: top - 4, y2: height - 4 };
  const text = (name: string, x: number, y: number, anchor: string): SVGElement =>
    svg('text', { x, y, 'text-anchor': anchor }, name);
  const even = weight(1 / numTokens);
  const divisor = formatSetting(weighed.divisor);
  return [
    text(words.keyColumn, 7, 14, 'start'),
    text(words.scoreColumn(divisor), columns.scoreText, 14, 'end'),
    text(words.weightColumn, columns.weightText, 14, 'end'),
    svg('line', { class: 'why-zero', x1: score(0), x2: score(0), ...down }),
    text('0', score(0), top - 9, 'middle'),
    svg('line', { class: 'why-zero', x1: weight(0), x2: weight(0), ...down }),
    svg('line', { class: 'why-even', x1: even, x2: even, ...down }),
    ...(even - weight(0) < 24 ? [] : [text('0', weight(0), top - 9, 'middle')]),
    text(`1/${numTokens}`, even + 2, top - 9, 'middle'),
    text('1', weight(1), top - 9, 'middle'),
  ];
}
