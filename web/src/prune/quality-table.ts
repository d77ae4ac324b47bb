import { element } from '../dom.js';
import { formatLoss, formatMilliseconds, formatPercent } from '../format.js';
import type { BenchState } from '../lab/bench.js';
import { allHeads } from '../lab/roles.js';
import { text } from '../text/index.js';

export interface QualityTable {
  readonly root: HTMLElement;
  show(state: BenchState): void;
}

/** What the whole model can do and how long it takes, and what is left of both. */
export function createQualityTable(): QualityTable {
  const words = text.prune;
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
    show({ whole, pruned, gone, wholeMilliseconds, prunedMilliseconds }) {
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
          String(allHeads.length - gone.length),
          formatLoss(pruned.loss),
          formatPercent(pruned.accuracy),
          time(prunedMilliseconds),
        ),
      );
    },
  };
}
