import { headColour } from 'headwise/view';

import { element, svg } from './dom.js';

interface Entry {
  /** As the line has it: it is drawn alike. */
  readonly series?: string;
  /** The head, counted from 0, whose colour the line has. */
  readonly head?: number;
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
    ...entries.map((entry) => {
      const line = svg('path', { class: 'line', 'data-series': entry.series, d: 'M1,4H23' });
      if (entry.head !== undefined) line.style.setProperty('stroke', headColour(entry.head));
      return element(
        'li',
        {},
        svg(
          'svg',
          { class: 'chart-legend-line', viewBox: '0 0 24 8', 'aria-hidden': 'true' },
          line,
        ),
        entry.name,
      );
    }),
  );
}
