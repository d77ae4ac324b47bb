import { extent } from 'd3-array';
import { scaleLinear, scaleLog } from 'd3-scale';
import { render } from 'lit-html';

import type { Store } from '../../address/store.js';
import { formatLoss, formatPercent } from '../../format/numbers.js';
import { joinSentences } from '../../format/sentences.js';
import {
  createChart,
  createChartLegend,
  drawAxes,
  drawLine,
  type Point,
  type Size,
} from '../../ui/chart.js';
import { createSlider } from '../../ui/controls/slider.js';
import { element, setAttributes, svg, withHeadColour } from '../../ui/dom.js';
import { say } from '../../ui/live-region.js';
import { words as uiWords } from '../../ui/words.js';
import { type Head, nameOfHead, sameHead } from '../../worker/heads.js';
import { lastStep, measureEvery } from '../../worker/training.js';
import { type Moment, type RunRecord, type RunSummary, summaryOf } from './run.js';
import { measuredStep, type Pinned, pinnedField, type TrainState } from './state.js';
import { words } from './words.js';

/** Around the lines, in pixels of the page. */
const margin = { left: 52, right: 14, top: 24, bottom: 40 } as const;
const curveHeight = 160;
/** Losses below are drawn here: a logarithm has no bottom. */
const least = 1e-4;
/** Half the width of the handle, as style.css has it: its middle stands at its step. */
const half = 12;

export type LossCurve = ReturnType<typeof createLossCurve>;

/** The loss of a run with the handle that leads through its steps, and a pinned run beside it. */
export function createLossCurve(store: Store<TrainState>) {
  let record: RunRecord | undefined;
  /** All that were kept in this page, as the address writes them. */
  const kept = new Map<string, RunSummary>();
  const pinned = (): RunSummary | undefined => kept.get(pinnedField.write(store.state.pinned));

  const chart = createChart({
    label: words.lossCurve,
    height: curveHeight,
    draw: (size) => (record === undefined ? [] : drawLosses(record, pinned(), store.state, size)),
  });
  const handle = createStepHandle(store);
  const legend = element('div');
  const comparison = element('p.run-comparison.two-lines');
  const pin = element('button.pin');
  pin.addEventListener('click', () => {
    if (record === undefined) return;
    store.change({ pinned: store.state.pinned === undefined ? keep(record) : undefined });
  });
  function keep(run: RunRecord): Pinned {
    const made = { options: run.options, step: run.step };
    kept.set(pinnedField.write(made), summaryOf(run));
    return made;
  }

  store.follow(({ pinned: pinnedNow }) => {
    pin.textContent = pinnedNow === undefined ? words.pin : words.unpin;
    const entries = [
      { series: 'training', name: words.lossTraining },
      { series: 'unseen', name: words.lossUnseen },
      { series: 'guessing', name: words.guessing },
    ];
    if (pinnedNow !== undefined) entries.push({ series: 'pinned', name: words.pinnedName });
    render(createChartLegend(entries, words.loss), legend);
  });

  return {
    root: element(
      'div.run-curve',
      element('div.run-bar.row', legend, element('div.buttons', handle.now, pin)),
      element('div.curve-stage', chart.root, handle.root),
      comparison,
    ),
    chart: chart.root,
    legend,
    /** Keeps a run as it is now, so that it can be pinned. */
    keep,
    /** Whether this one is there to be drawn. */
    has: (run: Pinned): boolean => kept.has(pinnedField.write(run)),
    /** The run that is pinned, once it is there. */
    pinned,
    draw(next: RunRecord, moment: Moment): void {
      record = next;
      chart.draw();
      handle.draw(next, moment);
      const other = pinned();
      const told = other && [
        words.pinned(ranOf(other), words.tasks[other.options.task], other.options),
        comparedSteps(next.goalStep, other.goalStep),
      ];
      say(comparison, joinSentences(told ?? []));
    },
  };
}

/** Which of two runs reached the goal first. */
function comparedSteps(goalStep: number | undefined, pinnedStep: number | undefined): string {
  const { compared } = words;
  if (goalStep === undefined) return compared.notReached;
  if (pinnedStep === undefined) return compared.alone(goalStep);
  if (goalStep === pinnedStep) return compared.same;
  return compared.other(goalStep, Math.abs(goalStep - pinnedStep), goalStep < pinnedStep);
}

/** A summary in the words of a sentence. */
export const ranOf = ({ options, step, accuracy, goalStep }: RunSummary) => ({
  ...{ layers: options.layers, step, goalStep },
  accuracy: formatPercent(accuracy),
});

/** A handle on the loss curve: the act shows the run as it was after that step. */
function createStepHandle(store: Store<TrainState>) {
  let end = 0;
  let told = '';
  const slider = createSlider({
    label: words.handle,
    range: { min: 0, max: lastStep, step: measureEvery },
    describe: () => told,
    onSlide: (step, origin) => store.change({ at: step < end ? step : undefined }, origin),
  });
  const { root } = slider;
  root.classList.add('step-handle');
  Object.assign(root.style, {
    insetInlineStart: `${margin.left - half}px`,
    insetInlineEnd: `${margin.right - half}px`,
    insetBlockStart: `${margin.top}px`,
    blockSize: `${curveHeight - margin.top - margin.bottom}px`,
  });
  const now = element('button.to-now', words.now);
  now.addEventListener('click', () => store.change({ at: undefined }));
  return {
    /** Lies over the plot of the loss curve. */
    root,
    /** Leads back to the present step. */
    now,
    draw(record: RunRecord, { step, measurement: { loss, accuracy }, isNow }: Moment): void {
      end = record.step;
      told = words.status(step, formatLoss(loss), formatPercent(accuracy));
      slider.show(measuredStep(step), stepsShown(record.step));
      root.toggleAttribute('data-past', !isNow);
      // Not `disabled`: that would take the focus away from whoever has just pressed it.
      setAttributes(now, { 'aria-disabled': isNow ? 'true' : undefined });
    },
  };
}

/** Loss on training data, on unseen data and of guessing, with a mark where a head took a role. */
function drawLosses(
  record: RunRecord,
  pinned: RunSummary | undefined,
  { scale }: TrainState,
  { width, height }: Size,
): SVGElement[] {
  const { losses, measurements, start } = record;
  const end = stepsShown(record.step);
  const x = scaleLinear([0, end], [margin.left, width - margin.right]);
  const trained = losses.map((loss, i): Point => [i + 1, loss]);
  const unseen = measurements.map(({ step, loss }): Point => [step, loss]);
  const beside = pinned?.points.filter(([step]) => step <= end) ?? [];
  const [low = 1, high = 1] = extent([
    ...[trained, unseen, beside].flatMap((points) => points.map(([, loss]) => loss)),
    start.guessing,
  ]);
  const [bottom, top] = [height - margin.bottom, margin.top];
  const y =
    scale === 'log'
      ? scaleLog([Math.max(least, low / 1.2), high * 1.2], [bottom, top])
      : scaleLinear([0, high * 1.05], [bottom, top]);
  const at = (loss: number): number => y(Math.max(loss, least));
  const drawn = (series: string, points: readonly Point[]): SVGElement =>
    drawLine(points, x, at, { 'data-series': series }, width);
  // Not a path: on paper a chart without paths is left out.
  const guessing = at(start.guessing);
  const across = { x1: x(0), x2: x(end), y1: guessing, y2: guessing };
  return [
    drawAxes(
      { scale: x, ticks: Math.max(3, Math.round(width / 110)), name: uiWords.run.steps },
      { scale: y, ticks: 5, name: words.loss },
    ),
    svg('line.line', { 'data-series': 'guessing', ...across }),
    ...roleMarks(record, x, top, bottom),
    ...roleNames(record, x, top),
    ...(pinned === undefined ? [] : [drawn('pinned', beside)]),
    drawn('training', trained),
    drawn('unseen', unseen),
  ];
}

/** Lines across a chart where heads took roles, all heads or one: in their colours, dashed as the roles' lines are. */
export function roleMarks(
  { events }: RunRecord,
  x: (step: number) => number,
  top: number,
  bottom: number,
  head?: Head,
): SVGElement[] {
  return events
    .filter(({ kind, place }) => kind === 'took' && (head === undefined || sameHead(place, head)))
    .map(({ step, place, score }) => {
      const at = { x1: x(step), x2: x(step), y1: top, y2: bottom };
      const mark = svg('line.line.role-mark', { 'data-series': score, ...at });
      return withHeadColour(mark, place.head);
    });
}

/** Above the marks, which heads took a role: `2.1`, as layer.head. Names that would overlap are left out. */
function roleNames({ events }: RunRecord, x: (step: number) => number, top: number): SVGElement[] {
  let free = -Infinity;
  return events.flatMap(({ kind, step, place }) => {
    const at = x(step);
    if (kind !== 'took' || at < free) return [];
    free = at + 22;
    const name = svg('text.role-name', { x: at, y: top - 4 }, nameOfHead(place));
    return [withHeadColour(name, place.head)];
  });
}

/** How far the axis of steps goes: twice as far each time that a run reaches its end. */
export function stepsShown(step: number): number {
  let end = 100;
  while (end < step) end *= 2;
  return end;
}
