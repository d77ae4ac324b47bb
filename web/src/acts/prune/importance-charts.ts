import { sum } from 'd3-array';
import { scaleBand, scaleLinear } from 'd3-scale';
import type { HeadMeasure } from 'headwise/models';

import { joinSentences } from '../../format/sentences.js';
import { createChart, drawGrid, type Size } from '../../ui/chart.js';
import { element, setAttributes, svg } from '../../ui/dom.js';
import type { Piece } from '../../ui/export/drawing.js';
import {
  allHeads,
  nameOfHead,
  numPlanted,
  numPlantedAmong,
  type Role,
  rolesOfLayers,
} from '../../worker/heads.js';
import { chosenBy, measures, type Study } from '../../worker/study.js';
import { words } from './words.js';

const margin = { left: 46, right: 4, top: 10, bottom: 40 } as const;

/** The kind of a head, by which its bar is coloured. */
export const kindOf = (role: Role): 'planted' | 'sharp' | 'quiet' =>
  role === 'sharp' || role === 'quiet' ? role : 'planted';

export interface ImportanceCharts {
  readonly root: HTMLElement;
  draw(studies: readonly Study[]): void;
  drawings(): Piece[][];
}

/** Importance of every head by every measure, side by side, by what was planted. */
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
    height: 140,
    draw: (size) => (studies.length === 0 ? [] : drawBars(measure, studies[0], size)),
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
      if (studies.length === 0) {
        verdict.textContent = '';
        setAttributes(chart.root, { 'aria-label': words.measures[measure] });
        return;
      }
      const [first] = studies;
      const told = words.verdict(foundBy(measure, first), numPlanted, first.seed);
      const all = sum(studies, (study) => foundBy(measure, study));
      const more = words.overSeeds(all, studies.length * numPlanted, studies.length);
      verdict.textContent = studies.length === 1 ? told : joinSentences([told, more]);
      setAttributes(chart.root, { 'aria-label': words.chart(measure, verdict.textContent) });
    },
  };
}

/** Planted heads among the measure’s choice. */
const foundBy = (measure: HeadMeasure, study: Study): number =>
  numPlantedAmong(chosenBy(measure, study), study.roles);

/** Of one study: another seed plants elsewhere, so that there is no mean of a place. */
function drawBars(
  measure: HeadMeasure,
  { importance, roles }: Study,
  { width, height }: Size,
): SVGElement[] {
  const values = importance[measure];
  const y = scaleLinear(
    [Math.min(0, ...values), Math.max(...values)],
    [height - margin.bottom, margin.top],
  ).nice(4);
  const x = scaleBand(allHeads.map(nameOfHead), [margin.left, width - margin.right]).padding(0.25);
  return [
    drawGrid({ scale: y, ticks: 4, name: '' }, x.range()),
    ...allHeads.map((head, i) => {
      const name = nameOfHead(head);
      const value = values[i];
      const left = x(name) ?? 0;
      return svg(
        'g',
        { class: 'bar', 'data-truth': kindOf(roles[i]), 'data-head': name, 'data-value': value },
        svg('rect', {
          x: left,
          width: x.bandwidth(),
          y: Math.min(y(value), y(0)),
          height: Math.abs(y(value) - y(0)),
        }),
        svg(
          'text',
          { x: left + x.bandwidth() / 2, y: height - 24, 'text-anchor': 'middle' },
          String(head.head + 1),
        ),
      );
    }),
    ...rolesOfLayers.map((_, layer) =>
      svg(
        'text',
        {
          class: 'bar-layer',
          x: x(nameOfHead({ layer, head: 0 })) ?? 0,
          y: height - 6,
        },
        words.layer(layer + 1),
      ),
    ),
  ];
}

/** What the looks of the bars say. */
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
