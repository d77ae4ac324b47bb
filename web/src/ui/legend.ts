import { element, svg } from './dom.js';

interface Entry {
  /** As the line has it: it is drawn alike. */
  readonly series: string;
  readonly name: string;
}

/** What the lines of a chart are, each beside a piece of it. */
export function createChartLegend(entries: readonly Entry[], name = ''): HTMLElement {
  return element(
    'ul',
    { class: 'chart-legend', 'aria-label': name },
    ...(name === ''
      ? []
      : [element('li', { class: 'chart-legend-name', 'aria-hidden': 'true' }, name)]),
    ...entries.map((entry) =>
      element(
        'li',
        {},
        svg(
          'svg',
          { class: 'chart-legend-line', viewBox: '0 0 24 8', 'aria-hidden': 'true' },
          svg('path', { class: 'line', 'data-series': entry.series, d: 'M1,4H23' }),
        ),
        entry.name,
      ),
    ),
  );
}
