import { html, nothing, render, type TemplateResult } from 'lit-html';

import type { Store } from '../../address/store.js';
import type { AttentionView } from '../../attention/attention-view.js';
import { Selection } from '../../attention/map-selection.js';
import { createWeightLegend, hatchFill } from '../../attention/weight-legend.js';
import { words as mapWords } from '../../attention/words.js';
import { formatLoss, formatShape, formatTight, formatWeight } from '../../format/numbers.js';
import { joinSentences, sentenceGap } from '../../format/sentences.js';
import { createPanelEnd } from '../../ui/controls/panel-end.js';
import { element, newId } from '../../ui/dom.js';
import { failureNotice } from '../../ui/notices.js';
import { createStage } from '../../ui/stage.js';
import { createArithmetic, createCloseUp } from './close-up.js';
import { type HeadSummary, type Pass, rememberPasses } from './pass.js';
import { createPredict, isFound, shortened } from './predict.js';
import { createRail } from './rail.js';
import type { KeysState } from './state.js';
import { createTiles } from './tiles.js';
import { nameOfPattern, words } from './words.js';

/** A layer with its input: the weights of every head, and the arithmetic of each. */
export function createKeysContent(store: Store<KeysState>): HTMLElement[] {
  const hatchId = newId('hatch');
  const hatch = hatchFill(hatchId);
  const legend = createWeightLegend(hatchId);
  const readOut = element('p.read-out', words.hint);
  const about = element('p.keys-about.two-lines');
  const caption = element('figcaption.caption');
  const failure = element('div');
  /** The head is counted from 0. */
  let drawn: { readonly view: AttentionView; readonly head: number } | undefined;
  const selection = new Selection(showCell);
  const shared = { hatch, legend: legend.root, selection };
  const tiles = createTiles(shared, (head) => store.change({ head: head + 1 }, 'replace'));
  const closeUp = createCloseUp(shared);
  const arithmetic = createArithmetic();
  const predict = createPredict(store);
  const root = element('div.keys');
  const rail = createRail(store, root);
  const figure = element(
    'figure.figure',
    { 'aria-label': mapWords.map.heads },
    failure,
    element('div.figure-bar.row', legend.root, readOut),
    about,
    tiles.root,
    element('div.keys-detail', closeUp.root, arithmetic.root),
    caption,
  );
  root.append(
    createStage({
      rail: [predict.root, element('div.rail-pinned', rail.pinned), rail.main],
      end: createPanelEnd(store, 'equal-keys', [tiles.savable, closeUp.savable]),
      views: [rail.own, figure],
    }),
  );
  const passOf = rememberPasses();

  function showCell(): void {
    if (drawn === undefined) return;
    const { view, head } = drawn;
    const cell = selection.active;
    tiles.ring(cell);
    closeUp.ring(cell);
    arithmetic.show(view, cell ?? { head, query: 0, key: 0 });
    if (cell === undefined) {
      legend.mark(undefined);
      readOut.textContent = words.hint;
      return;
    }
    const weight = view.weights.at(0, cell.head, cell.query, cell.key);
    const masked = view.isMasked(0, cell.query, cell.key);
    legend.mark(masked ? undefined : weight);
    readOut.textContent = mapWords.cell({
      ...{ head: cell.head + 1, query: cell.query + 1, key: cell.key + 1 },
      ...{ weight: formatWeight(weight), masked },
    });
  }

  store.follow((state) => {
    try {
      const pass = passOf(state);
      const { view, summaries, difference } = pass;
      predict.show(state, summaries, difference);
      const isNamed =
        state.input !== 'patterns' ||
        state.question !== 'patterns' ||
        state.names ||
        isFound(summaries, state.answer);
      const head = state.head - 1;
      tiles.draw(
        view,
        summaries.map((summary) => notesOf(summary, isNamed)),
        head,
      );
      closeUp.draw(view, head);
      if (drawn?.view.weights.shape.join() !== view.weights.shape.join()) selection.pin(undefined);
      drawn = { view, head };
      showCell();
      render(aboutPass(state, pass), about);
      caption.textContent = joinSentences([shapesOf(view), words.caption]);
      render(nothing, failure);
    } catch (error) {
      // The last maps stay: other settings can still be used.
      render(failureNotice(error), failure);
    }
  });
  return [root];
}

/** A line for the pattern, and one for the measures. */
function notesOf(summary: HeadSummary | undefined, isNamed: boolean): string[] {
  if (summary === undefined) return [words.noKey];
  const { pattern, largest, entropy } = summary;
  return [
    isNamed ? nameOfPattern(pattern) : words.unnamed,
    words.measures(formatTight(largest), formatTight(entropy)),
  ];
}

function shapesOf({ input, output, headSize }: AttentionView): string {
  const [queries, keys, outputs] = [input.queries, input.keys, output].map(({ shape }) =>
    formatShape(shape),
  );
  return words.about.shapes(queries, keys, headSize, outputs);
}

/** What the input and the parameters are, and how far the heads differ. */
function aboutPass(
  { input, seed, steps }: KeysState,
  { difference, losses }: Pass,
): TemplateResult {
  const parameters =
    losses === undefined
      ? words.about.parameters(seed)
      : words.about.trained(steps, formatLoss(losses.first), formatLoss(losses.now));
  const sentences = [words.about[input], input === 'patterns' ? '' : parameters];
  return html`<strong data-difference=${difference} data-loss=${losses?.now ?? nothing}
      >${words.about.difference(shortened(difference))}</strong
    >${sentenceGap() + joinSentences(sentences)}`;
}
