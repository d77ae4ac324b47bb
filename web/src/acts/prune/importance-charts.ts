import { descending, extent, mean } from 'd3-array';
import { scaleBand, scaleLinear } from 'd3-scale';
import type { HeadMeasure } from 'headwise/models';

import { createChart, drawGrid, type Size } from '../../ui/chart.js';
import { element, setAttributes, svg } from '../../ui/dom.js';
import type { Piece } from '../../ui/export/drawing.js';
import { allHeads, isPlanted, nameOfHead, type Role } from '../../worker/heads.js';
import { measures, rankOf, type Study } from '../../worker/study.js';
import { words } from './words.js';

const margin = { left: 46, right: 4, top: 10, bottom: 24 } as const;

/** The kind of a head, by which its bar is coloured. */
const truthOf = (role: Role): 'planted' | 'sharp' | 'quiet' =>
  role === 'sharp' || role === 'quiet' ? role : 'planted';

export interface ImportanceCharts {
  readonly root: HTMLElement;
  draw(studies: readonly Study[]): void;
  drawings(): Piece[][];
}

/** Importance of every head by every measure, side by side, in the colours of what was planted. */
export function createImportanceCharts(): ImportanceCharts {
  const charts = measures.map(createMeasureChart);
  return {
    root: element('div', { class: 'measures' }, ...charts.map(({ root }) => root)),
    draw(studies) {
      for (const chart of charts) chart.draw(studies);
    },
    drawings: () => charts.map(({ piece }) => [piece]),
  };
}

interface MeasureChart {
  readonly root: HTMLElement;
  readonly piece: Piece;
  draw(studies: readonly Study[]): void;
}

function createMeasureChart(measure: HeadMeasure): MeasureChart {
  let studies: readonly Study[] = [];
  const chart = createChart({
    label: words.measures[measure],
    height: 170,
    draw: (size) => (studies.length === 0 ? [] : drawBars(measure, studies, size)),
  });
  const verdict = element('p', { class: 'verdict' });
  return {
    root: element(
      'div',
      { class: 'measure', 'data-measure': measure },
      element('h4', {}, words.measures[measure]),
      element('p', { class: 'measure-note' }, words.measureNotes[measure]),
      chart.root,
      verdict,
    ),
    piece: { drawing: chart.root, title: words.measures[measure] },
    draw(given) {
      studies = given;
      chart.draw();
      if (studies.length === 0) return;
      const [first] = studies;
      verdict.textContent = words.verdict(foundBy(measure, first), numPlanted, first.seed);
      setAttributes(chart.root, { 'aria-label': words.chart(measure, verdict.textContent) });
    },
  };
}

const numPlanted = allHeads.filter(({ role }) => isPlanted(role)).length;

/** How many planted heads are among as many that the measure of this study puts first. */
function foundBy(measure: HeadMeasure, { importance }: Study): number {
  const rank = rankOf(measure, importance[measure]);
  return allHeads
    .map(({ role }, i) => ({ role, rank: rank[i] }))
    .sort((a, b) => descending(a.rank, b.rank))
    .slice(0, numPlanted)
    .filter(({ role }) => isPlanted(role)).length;
}

function drawBars(
  measure: HeadMeasure,
  studies: readonly Study[],
  { width, height }: Size,
): SVGElement[] {
  const bars = allHeads.map((head, i) => {
    const values = studies.map(({ importance }) => importance[measure][i]);
    const [least = 0, most = 0] = extent(values);
    return { head, least, most, mean: mean(values) ?? 0 };
  });
  const low = Math.min(0, ...bars.map(({ least }) => least));
  const high = Math.max(...bars.map(({ most }) => most));
  const y = scaleLinear([low, high], [height - margin.bottom, margin.top]).nice(4);
  const x = scaleBand(
    bars.map(({ head }) => nameOfHead(head)),
    [margin.left, width - margin.right],
  ).padding(0.25);
  return [
    drawGrid({ scale: y, ticks: 4, name: '' }, x.range()),
    ...bars.map(({ head, least, most, mean: value }) => {
      const name = nameOfHead(head);
      const left = x(name) ?? 0;
      const middle = left + x.bandwidth() / 2;
      return svg(
        'g',
        { class: 'bar', 'data-truth': truthOf(head.role), 'data-head': name, 'data-value': value },
        svg('rect', {
          x: left,
          width: x.bandwidth(),
          y: Math.min(y(value), y(0)),
          height: Math.abs(y(value) - y(0)),
        }),
        svg('line', { class: 'error-bar', x1: middle, x2: middle, y1: y(least), y2: y(most) }),
        svg('text', { x: middle, y: height - 8, 'text-anchor': 'middle' }, name),
      );
    }),
  ];
}

/** What the colours of the bars say. */
export function createTruthLegend(): HTMLElement {
  const { truth, truths } = words;
  return element(
    'ul',
    { class: 'chart-legend' },
    element('li', { class: 'chart-legend-name' }, truth),
    ...(['planted', 'sharp', 'quiet'] as const).map((name) =>
      element(
        'li',
        {},
        svg(
          'svg',
          { class: 'swatch', viewBox: '0 0 16 16', 'data-truth': name, 'aria-hidden': 'true' },
          svg('rect', { x: 1, y: 1, width: 14, height: 14 }),
        ),
        truths[name],
      ),
    ),
  );
}
