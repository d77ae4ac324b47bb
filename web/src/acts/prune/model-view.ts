import { html, nothing, render, type TemplateResult } from 'lit-html';

import type { Store } from '../../address/store.js';
import { words as mapWords } from '../../attention/words.js';
import { formatPercent, formatShare, formatShort } from '../../format/numbers.js';
import { languageModel } from '../../reading/model.js';
import { sentence } from '../../reading/sentence.js';
import { sayLoading } from '../../reading/sentence-field.js';
import { visibleNext } from '../../reading/tokens.js';
import { createChart } from '../../ui/chart.js';
import { createSelect } from '../../ui/controls/choice.js';
import { createNamedSlider } from '../../ui/controls/slider.js';
import { element, headStyle, setAttributes } from '../../ui/dom.js';
import { composeDrawings, drawLegend } from '../../ui/export/drawing.js';
import { createGoal } from '../../ui/goal.js';
import { announce } from '../../ui/live-region.js';
import { createStage, openFolded } from '../../ui/stage.js';
import { coalesce } from '../../worker/connection.js';
import { gatesWithout, hasHead, type Head, headsOf, nameOfHead } from '../../worker/heads.js';
import type { Candidate } from '../../worker/language-model.js';
import {
  bestFirst,
  type ModelCurve,
  type ModelStudy,
  mostPrunable,
  tolerance,
} from '../../worker/model-study.js';
import { createOrderLegend, type Curves, drawCurves } from './results.js';
import type { PruneState } from './state.js';
import { Ranker } from './studies.js';
import { createWorkPanel } from './work-panel.js';
import { words } from './words.js';

/** Losses up to so many times that of the whole model are drawn. */
const highestLoss = 1.35;
const numCandidates = 5;

/** What the reader has chosen, of a study. */
interface Cut {
  readonly study: ModelStudy;
  /** All curves, the best first. */
  readonly curves: readonly ModelCurve[];
  readonly curve: ModelCurve;
  readonly point: number;
  readonly pruned: readonly Head[];
  /** Loss relative to that of the whole model. */
  readonly ratio: number;
}

/** The language model: its heads ranked, what pruning costs on held-out text, and what it predicts then. */
export function createModelView(store: Store<PruneState>) {
  const model = languageModel();
  const ranker = new Ranker(model, show);
  const goal = createGoal(words.modelGoal);
  const chart = createChart({
    label: words.modelCurves,
    height: 300,
    draw: (size) => drawCurves(curvesOf(cutNow()), size),
  });
  const legend = createOrderLegend();
  const order = createSelect<ModelCurve['order']>({
    label: words.order,
    nameOf: (name) => words.orders[name],
    onChoose: (chosen) => store.change({ order: chosen }),
  });
  const slider = createNamedSlider({
    label: words.cut,
    range: { min: 0, max: 1, step: 1 },
    describe: (point) => String(point * (ranker.study?.step ?? 1)),
    onSlide: (point, origin) => store.change({ cut: point * (ranker.study?.step ?? 1) }, origin),
  });
  const status = element('p.cut-status');
  const rank = createWorkPanel(
    words.rank,
    () => void ranker.start(),
    () => ranker.stop(),
  );
  const heads = element('div.model-heads.stack', { role: 'group', 'aria-label': words.which });
  const next = element('section.model-next.stack', { 'aria-label': words.nextToken });
  let candidates: readonly Candidate[] = [];
  /** The sentence and the heads of the last request, and the model that was asked. */
  let asked = '';
  let askedModel = model.description;
  let drawn: Cut | undefined;

  function cutNow(): Cut | undefined {
    const { study } = ranker;
    if (study === undefined) return undefined;
    const curves = bestFirst(study);
    const { order: wanted, cut } = store.state;
    const curve = curves.find((each) => each.order === wanted) ?? curves[0];
    const point = Math.min(Math.floor(cut / study.step), curve.losses.length - 1);
    return {
      ...{ study, curves, curve, point },
      pruned: curve.heads.slice(0, point * study.step),
      ratio: (curve.losses[point] ?? NaN) / (curve.losses[0] ?? NaN),
    };
  }

  const ask = coalesce<string>(async (wanted) => {
    const cut = cutNow();
    if (cut === undefined) return;
    try {
      const run = await model.call((service) =>
        service.run(sentence.state.text, gatesWithout(cut.study.numHeads, cut.pruned)),
      );
      if (wanted !== wish()) return;
      candidates = run?.candidates ?? [];
      showNext();
    } catch {
      // The notice says why.
      candidates = [];
      showNext();
    }
  });
  /** What the predictions depend on. */
  const wish = (): string =>
    JSON.stringify([sentence.state.text, cutNow()?.pruned.map(nameOfHead)]);

  function showNext(): void {
    render(
      html`<h4>${words.nextToken}</h4>
        <p class="model-sentence soft">
          <q translate="no">${sentence.state.text}</q> <a href="#look">${words.changeSentence}</a>
        </p>
        ${
          candidates.length === 0
            ? html`<p class="note" .textContent=${waitingNow()}></p>`
            : predictionsOf(candidates)
        }`,
      next,
    );
  }

  function waitingNow(): string {
    const { progress, description } = model;
    if (progress !== undefined) return sayLoading(progress);
    return description?.isCausal === false ? words.notCausal : words.notRead;
  }

  function showRanking(): void {
    const isBusy = ranker.state === 'busy';
    const status = {
      idle: ranker.study === undefined ? words.notRanked : words.ranked,
      busy: words.ranking(formatPercent(ranker.share)),
      done: words.rankedHere,
      stopped: words.rankingStopped(ranker.study?.curves.length ?? 0),
      failed: words.rankingFailed(ranker.problem),
    }[ranker.state];
    const isOff = model.description?.isCausal === false;
    const share = isBusy || ranker.isMeasured ? ranker.share : 0;
    rank.show({ isBusy, isOff, share, status });
  }

  function showCut(cut: Cut | undefined): void {
    order.root.hidden = cut === undefined;
    slider.root.hidden = cut === undefined;
    if (cut === undefined) {
      openFolded(stage);
      status.textContent = '';
      goal.clear();
      render(nothing, heads);
      return;
    }
    const { study, curves, curve, point, pruned, ratio } = cut;
    order.show(
      curve.order,
      curves.map((each) => each.order),
    );
    slider.show(point, curve.losses.length - 1);
    const all = headsOf(study.numHeads);
    status.textContent = words.cutStatus(
      pruned.length,
      all.length,
      formatShort(curve.losses[point] ?? NaN),
      formatShare(ratio - 1),
      ratio <= tolerance,
    );
    setAttributes(status, {
      'data-pruned': pruned.length,
      'data-within': String(ratio <= tolerance),
    });
    if (drawn?.study !== study) goal.clear();
    if (pruned.length > 0 && ratio <= tolerance && pruned.length === mostPrunable(study)) {
      goal.show(words.modelReached(pruned.length, all.length, formatShare(ratio - 1)), true);
    }
    render(
      study.numHeads.map(
        (_, layer) =>
          html`<p class="model-layer row small">
            <span class="model-layer-name soft">${mapWords.map.layer(layer + 1)}</span>
            ${all.filter((head) => head.layer === layer).map((head) => chipOf(head, pruned))}
          </p>`,
      ),
      heads,
    );
  }

  function show(): void {
    const cut = cutNow();
    showRanking();
    showCut(cut);
    chart.draw();
    showNext();
    drawn = cut;
    // The model is large: it is loaded when the reader prunes, unless another act has loaded it.
    const { description } = model;
    if (description !== undefined && description !== askedModel) asked = '';
    askedModel = description;
    const isNeeded = description !== undefined || (cut?.pruned.length ?? 0) > 0;
    if (!isNeeded || description?.isCausal === false || asked === wish()) return;
    asked = wish();
    ask(asked);
  }

  const stage = createStage({
    rail: [
      element('h3', words.model),
      goal.root,
      element('div.rail-pinned', slider.root, status),
      order.root,
      legend,
      model.createNotice(),
    ],
    more: {
      label: words.rankOrigin,
      content: [element('div.controls', rank.status, rank.root)],
    },
    views: [
      chart.root,
      element('p.caption', words.heldOut),
      element('div.model-parts.stack', heads, next),
      goal.outcome,
    ],
  });
  slider.root.addEventListener('change', () => announce(status.textContent));
  store.subscribe(show);
  sentence.subscribe(() => {
    candidates = [];
    show();
  });
  model.onChange(show);
  show();

  return {
    root: element('div.results.pruned-model', stage),
    savables: [
      {
        name: words.exportNames.model,
        figure: () =>
          composeDrawings([
            [{ drawing: chart.root, title: words.modelCurves }],
            [drawLegend(legend)],
          ]),
        data: () => ranker.study,
      },
    ],
  };
}

const chipOf = (head: Head, pruned: readonly Head[]): TemplateResult => {
  const name = nameOfHead(head);
  const isPruned = hasHead(pruned, head);
  return html`<span
    class="model-head"
    .style=${headStyle(head.head)}
    data-head=${name}
    ?data-pruned=${isPruned}
    >${isPruned ? html`<del>${name}</del>` : name}</span
  >`;
};

function curvesOf(cut: Cut | undefined): Curves | undefined {
  if (cut === undefined) return undefined;
  const { study, curves, curve, point } = cut;
  const whole = curve.losses[0] ?? NaN;
  return {
    lines: curves.map(({ order, losses }) => ({ order, runs: [losses] })),
    heads: headsOf(study.numHeads).length,
    step: study.step,
    axis: { name: words.heldOutLoss, from: 0.98 * whole, to: highestLoss * whole },
    limit: { value: tolerance * whole, name: `+${formatShare(tolerance - 1)}` },
    chosen: { order: curve.order, point },
  };
}

/** The most probable next tokens with all heads, and with those that are left. */
function predictionsOf(candidates: readonly Candidate[]): TemplateResult {
  const top = (of: (each: Candidate) => number): Candidate =>
    candidates.reduce((a, b) => (of(b) > of(a) ? b : a));
  const [before, after] = [top((each) => each.before), top((each) => each.probability)];
  const shown = candidates
    .filter((each, i) => i < numCandidates - 1 || each === after)
    .slice(0, numCandidates);
  return html`<p class="model-top two-lines" data-changed=${before !== after}>
      ${words.top(visibleNext(before.token), visibleNext(after.token), before === after)}
    </p>
    <table class="quality">
      <thead>
        <tr>
          <th scope="col">${words.token}</th>
          <th scope="col">${words.whole}</th>
          <th scope="col">${words.left}</th>
        </tr>
      </thead>
      <tbody>
        ${shown.map(
          (each) =>
            html`<tr>
              <th scope="row">${visibleNext(each.token)}</th>
              <td data-top=${each === before || nothing}>${formatShare(each.before)}</td>
              <td data-top=${each === after || nothing}>${formatShare(each.probability)}</td>
            </tr>`,
        )}
      </tbody>
    </table>`;
}
