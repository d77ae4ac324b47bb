import { maxIndex } from 'd3-array';
import type { Tensor } from 'headwise';
import { nothing, render } from 'lit-html';

import type { Store } from '../../address/store.js';
import { attend, type AttentionView } from '../../attention/attention-view.js';
import { createHeadFigure } from '../../attention/head-figure.js';
import type { LayerSettings } from '../../attention/layer.js';
import type { Cell } from '../../attention/map-selection.js';
import { formatTight, formatWeight } from '../../format/numbers.js';
import { createPanelEnd } from '../../ui/controls/panel-end.js';
import { element } from '../../ui/dom.js';
import { failureNotice } from '../../ui/notices.js';
import { createStage } from '../../ui/stage.js';
import { createArithmetic } from './arithmetic.js';
import { createCloseUp } from './close-up.js';
import { createCompare } from './compare.js';
import { createGatePanel } from './gates.js';
import { createHeadGoal, isAnswered } from './goal.js';
import { type HeadSummary, summariseHeads } from './head-summary.js';
import { buildInput } from './inputs.js';
import { createLayerPanel } from './layer-panel.js';
import { createLengthSliders, createPanel } from './panel.js';
import { type HeadsState, validLensOf } from './state.js';
import { words } from './words.js';

/** The layer of the toy example under the reader's hands. */
export function createHeadsContent(store: Store<HeadsState>): HTMLElement[] {
  const summary = element('p', { class: 'reason' });
  const failure = element('div');
  const lengths = createLengthSliders(store);
  let active: Cell | undefined;
  let view: AttentionView | undefined;

  const figure = createHeadFigure({
    label: words.figure,
    name: words.maps,
    caption: words.caption,
    isCaptionBelow: true,
    controls: lengths.roots,
    onActive(cell) {
      active = cell;
      closeUp.mark(cell);
      if (view !== undefined) explain(view, store.state);
    },
    onPin({ sample, head }) {
      store.change({ sample: sample + 1, head: head + 1 }, 'replace');
    },
  });
  const closeUp = createCloseUp(figure);
  const arithmetic = createArithmetic();
  const compare = createCompare({
    register: figure.register,
    hatch: figure.hatch,
    onChoose: (head) => {
      store.change({ compare: head });
    },
  });
  figure.beside.append(closeUp.root, arithmetic.root);
  figure.below.prepend(compare.root);
  const gates = createGatePanel(store, figure.hatch);
  const layer = createLayerPanel(store);
  const goal = createHeadGoal(store);
  const maps = element('div', { class: 'heads-maps' });
  const panel = createPanel(store, maps);
  maps.append(
    failure,
    createStage({
      label: words.controls.panel,
      rail: [
        element('div', { class: 'rail-pinned' }, goal.root, panel.pinned),
        panel.main,
        summary,
      ],
      more: { label: words.controls.more, content: [panel.more] },
      end: createPanelEnd(
        store,
        'heads',
        [figure, closeUp, compare, gates, layer].map(({ savable }) => savable),
      ),
      views: [figure.root],
    }),
  );

  const explain = (current: AttentionView, state: HeadsState): void => {
    const example = { sample: state.sample - 1, head: state.head - 1, query: 0, key: 0 };
    arithmetic.show(current, active, example, state);
  };
  let computedFor: readonly unknown[] = [];
  let summaries: ReturnType<typeof summariseHeads> = [];
  let drawnFor: readonly unknown[] = [];
  /** Gates and parts leave the maps as they are, and a slider on its way should not wait for them. */
  const drawMaps = (current: AttentionView, state: HeadsState): void => {
    const { contrast, compare: other } = state;
    const [sample, head] = [state.sample - 1, state.head - 1];
    const isNamed = state.input !== 'patterns' || state.names || isAnswered(current, state.answer);
    const now = [current, contrast, sample, head, other, isNamed];
    if (now.every((value, at) => value === drawnFor[at])) return;
    drawnFor = now;
    figure.draw(current, {
      contrast,
      notes: summaries.map((ofSample) =>
        ofSample.map((each, at) => noteOf(each, current.input.roles?.[at], isNamed)),
      ),
      selected: { sample, head },
    });
    closeUp.draw(current, sample, head, contrast);
    closeUp.mark(active);
    explain(current, state);
    const isOther = other !== 0 && other !== state.head;
    compare.draw(current, sample, head, isOther ? other - 1 : undefined);
  };
  const draw = (state: HeadsState): void => {
    const settings = settingsOf(state);
    const { input, text, tokens, positions, numbers, file } = state;
    const now = [JSON.stringify([settings, input, text, tokens, positions]), numbers, file];
    if (view === undefined || now.some((value, at) => value !== computedFor[at])) {
      view = attend(buildInput(state), settings);
      summaries = summariseHeads(view);
      summary.textContent = summarise(state, view);
      summary.hidden = summary.textContent === '';
      computedFor = now;
    }
    drawMaps(view, state);
    goal.show(view, state);
    gates.draw(view, settings);
    layer.draw(view, settings);
  };
  const show = (state: HeadsState): void => {
    panel.show(state);
    lengths.show(state);
    try {
      draw(state);
      render(nothing, failure);
    } catch (error) {
      // The last maps stay: what went wrong with one setting leaves the others usable.
      render(failureNotice(error), failure);
    }
  };
  store.subscribe(show);
  show(store.state);
  return [maps, gates.root, layer.root];
}

function settingsOf(state: HeadsState): LayerSettings {
  const { seed, heads, causal, scale, dropout } = state;
  return { seed, heads, causal, scale, dropout, validLens: validLensOf(state) };
}

/** A line for the pattern, and one for the measures; one alone where there is nothing to measure. */
function noteOf(
  summary: HeadSummary | undefined,
  role: string | undefined,
  isNamed: boolean,
): string[] {
  if (summary === undefined) return [words.noKey];
  const { pattern, largest, entropy } = summary;
  return [
    isNamed ? words.pattern(words.patterns[pattern], role) : words.unnamed,
    words.measures(formatTight(largest), formatTight(entropy)),
  ];
}

function summarise(state: HeadsState, { weights, validLens }: AttentionView): string {
  if (validLens.every((length) => length === 0)) return words.nothing;
  if (state.input === 'ones') return words.even;
  // Where it stands would say which head does what.
  if (state.input === 'patterns') return '';
  const { sample, head, query, key } = findLargest(weights);
  return words.largest({
    sample: sample + 1,
    head: head + 1,
    query: query + 1,
    key: key + 1,
    weight: formatWeight(weights.at(sample, head, query, key)),
  });
}

/** Where the largest of all weights stands. */
export function findLargest(weights: Tensor): Cell {
  const [, heads = 1, queries = 1, keys = 1] = weights.shape;
  const flat = maxIndex(weights.data);
  return {
    sample: Math.floor(flat / (heads * queries * keys)),
    head: Math.floor(flat / (queries * keys)) % heads,
    query: Math.floor(flat / keys) % queries,
    key: flat % keys,
  };
}
