import { max, range, sum } from 'd3-array';
import { html, render, type TemplateResult } from 'lit-html';

import { hideable } from '../../address/hideable.js';
import { type AttentionView, namesOf } from '../../attention/attention-view.js';
import { createHeadMap, type HeadMap } from '../../attention/head-map.js';
import { type Cell, listenToMaps, type Selection } from '../../attention/map-selection.js';
import { words as mapWords } from '../../attention/words.js';
import { formatNumber, formatWeight } from '../../format/numbers.js';
import { element } from '../../ui/dom.js';
import { composeDrawings, drawLegend } from '../../ui/export/drawing.js';
import { words } from './words.js';

/** What the maps of the act have in common. */
export interface Shared {
  readonly hatch: string;
  readonly legend: HTMLElement;
  readonly selection: Selection;
}

/** The map of the selected head, large, with numbers, names and the sums of rows and columns. Arrow keys walk it. */
export function createCloseUp({ hatch, legend, selection }: Shared) {
  const root = element('section.close-up', { 'aria-label': words.enlarged });
  let map: HeadMap | undefined;
  let shown: { readonly view: AttentionView; readonly head: number } | undefined;
  let built = '';
  let tabStop = { query: 0, key: 0 };
  const sizes = (): { queries: number; keys: number } => {
    const [, , queries = 0, keys = 0] = shown?.view.weights.shape ?? [];
    return { queries, keys };
  };
  const stopAt = ({ query, key }: { query: number; key: number }): void => {
    const { queries, keys } = sizes();
    tabStop = { query: Math.min(query, queries - 1), key: Math.min(key, keys - 1) };
    map?.setTabStop(tabStop.query, tabStop.key);
  };
  const register = listenToMaps({ stage: root, selection, sizes, onPin: stopAt });

  return {
    root,
    savable: {
      name: words.enlarged,
      figure() {
        if (map === undefined || shown === undefined) throw new Error('nothing is drawn');
        const title = mapWords.map.title(shown.head + 1);
        return composeDrawings([[{ drawing: map.drawing, title }], [drawLegend(legend)]]);
      },
      data() {
        if (shown === undefined) return undefined;
        const { view, head } = shown;
        const { queries, keys } = sizes();
        const rows = (at: (query: number, key: number) => unknown): unknown[][] =>
          range(queries).map((query) => range(keys).map((key) => at(query, key)));
        return {
          head: head + 1,
          weights: rows((query, key) => view.weights.at(0, head, query, key)),
          scores: rows((query, key) => view.scores.at(0, head, query, key)),
          masked: rows((query, key) => view.isMasked(0, query, key)),
        };
      },
    },
    /** @param head counted from 0 */
    draw(view: AttentionView, head: number): void {
      shown = { view, head };
      const { queries, keys } = sizes();
      const wanted = [head, queries, keys].join();
      if (built !== wanted) {
        built = wanted;
        const hadFocus = root.contains(document.activeElement);
        map = createHeadMap({
          ...{ head, hatch, register, hasSums: true },
          title: mapWords.map.title(head + 1),
          label: words.enlargedLabel(head + 1),
          names: namesOf(view),
        });
        map.drawing.setAttribute('preserveAspectRatio', 'xMinYMin');
        root.replaceChildren(map.root);
        stopAt(tabStop);
        if (hadFocus) map.focus(tabStop.query, tabStop.key);
      }
      map?.draw((query, key) => ({
        weight: view.weights.at(0, head, query, key),
        masked: view.isMasked(0, query, key),
      }));
    },
    /** Rings the cell that is explained: faintly if it is in another head. */
    ring(cell: Cell | undefined): void {
      map?.ring(cell, cell?.head === shown?.head);
    },
  };
}

/** As many terms of a sum fit on a line beside the maps, and one number of a vector. */
const termsShown = 2;

/** The steps from a query and a key to their weight, with their numbers. */
export function createArithmetic() {
  const place = element('div');
  return {
    root: hideable(
      'arithmetic',
      element(
        'section.arithmetic',
        { 'aria-label': words.arithmetic.title },
        element('h3', words.arithmetic.title),
        place,
      ),
    ),
    show(view: AttentionView, cell: Cell): void {
      render(explain(view, cell), place);
    },
  };
}

type Step = readonly [name: string, numbers: string, result: string];

function explain(view: AttentionView, cell: Cell): TemplateResult {
  const { caption, columns, sums } = words.arithmetic;
  const { head, query, key } = cell;
  const names = namesOf(view);
  const [, , queries = 0] = view.weights.shape;
  const rowSum = sum(keysOf(view), (at) => view.weights.at(0, head, query, at));
  const columnSum = sum(range(queries), (row) => view.weights.at(0, head, row, key));
  const queryName = names.queries[query] ?? '';
  const keyName = names.keys[key] ?? '';
  return html`
    <table>
      <caption .textContent=${caption(head + 1, queryName, keyName)}></caption>
      <thead class="unseen">
        <tr>
          ${columns.map((name) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${stepsOf(view, cell).map(
          ([name, numbers, result]) =>
            html`<tr>
              <th scope="row">${name}</th>
              <td>${numbers}</td>
              <td class="result">${result}</td>
            </tr>`,
        )}
      </tbody>
    </table>
    <p class="note">${sums(formatWeight(rowSum), formatWeight(columnSum))}</p>
  `;
}

/** From the product of a query and a key to its weight and what that adds to the result. */
export function stepsOf(view: AttentionView, cell: Cell): Step[] {
  const { head, query, key } = cell;
  const { projected, scores, weights, isMasked, headSize } = view;
  const units = range(headSize);
  const q = units.map((unit) => projected.queries.at(0, head, query, unit));
  const k = units.map((unit) => projected.keys.at(0, head, key, unit));
  const dot = sum(units, (unit) => (q[unit] ?? 0) * (k[unit] ?? 0));
  const score = scores.at(0, head, query, key);
  const masked = isMasked(0, query, key);
  const seen = keysOf(view).filter((at) => !isMasked(0, query, at));
  const scoreAt = (at: number): number => scores.at(0, head, query, at);
  const largest = max(seen, scoreAt);
  const exponential = masked || largest === undefined ? 0 : Math.exp(score - largest);
  const total = sum(seen, (at) => Math.exp(scoreAt(at) - (largest ?? 0)));
  const weight = weights.at(0, head, query, key);
  const value = range(projected.values.shape[3] ?? 0).map((unit) =>
    projected.values.at(0, head, key, unit),
  );
  return [
    ['q · k', products(q, k), formatNumber(dot)],
    [
      `÷ √${headSize}`,
      `${formatNumber(dot)} ÷ ${formatNumber(Math.sqrt(headSize))}`,
      formatNumber(score),
    ],
    [
      words.arithmetic.mask,
      masked ? words.arithmetic.hidden : words.arithmetic.seen,
      formatNumber(masked ? -Infinity : score),
    ],
    [
      'exp',
      largest === undefined
        ? words.arithmetic.nothing
        : words.arithmetic.fromLargest(
            formatNumber(masked ? -Infinity : score),
            bracketed(formatNumber(largest)),
          ),
      formatNumber(exponential),
    ],
    [
      words.arithmetic.sum,
      `${formatNumber(exponential)} ÷ ${formatNumber(total)}`,
      formatWeight(weight),
    ],
    [
      '× v',
      `${formatNumber(weight)} × ${vector(value)}: ${words.arithmetic.weighed}`,
      vector(value.map((part) => weight * part)),
    ],
  ];
}

/** A number to subtract. */
const bracketed = (number: string): string => (number.startsWith('−') ? `(${number})` : number);

function keysOf({ weights }: AttentionView): number[] {
  return range(weights.shape[3] ?? 0);
}

function products(q: readonly number[], k: readonly number[]): string {
  const terms = q
    .slice(0, termsShown)
    .map((value, unit) => `${formatNumber(value)} · ${formatNumber(k[unit] ?? 0)}`);
  const rest = q.length - terms.length;
  return [...terms, ...(rest > 0 ? [words.arithmetic.more(rest)] : [])].join(' + ');
}

const vector = ([first = 0, ...rest]: readonly number[]): string =>
  `(${formatNumber(first)}${rest.length > 0 ? ', …' : ''})`;
