import type { HeadMeasure } from 'headwise/models';
import { html, nothing, render, type TemplateResult } from 'lit-html';

import type { Store } from '../../address/store.js';
import { type LiveMap, liveMapsOf } from '../../attention/live-map.js';
import { shapedWeights } from '../../attention/heads-element.js';
import { createWeightLegend, hatchFill } from '../../attention/weight-legend.js';
import { words as mapWords } from '../../attention/words.js';
import { formatPercent, formatShort } from '../../format/numbers.js';
import { element, headStyle, newId } from '../../ui/dom.js';
import { composeDrawings, drawLegend } from '../../ui/export/drawing.js';
import { createGoal } from '../../ui/goal.js';
import { say } from '../../ui/live-region.js';
import { words as uiWords } from '../../ui/words.js';
import {
  allHeads,
  hasHead,
  type Head,
  nameOfHead,
  numPlanted,
  numPlantedAmong,
  placeOf,
  rolesOfLayers,
  sameHead,
} from '../../worker/heads.js';
import { accuracyWithout, chosenBy, measures, type Shown, type Study } from '../../worker/study.js';
import { symbolOf } from '../../worker/training.js';
import { kindOf } from './results.js';
import { canMark, type PruneState } from './state.js';
import { words } from './words.js';

/** Heads that the reader or a measure chose. */
interface Choice {
  readonly name: string;
  readonly heads: readonly Head[];
}

/** The reader marks the heads that do the work by their maps. Then the roles and the measures' choices are shown. */
export function createGuessView(store: Store<PruneState>) {
  const goal = createGoal(words.guessTask(numPlanted));
  const task = element('div.sequence.planted-task.row');
  const hatchId = newId('hatch');
  const legend = createWeightLegend(hatchId);
  const status = element('p.guess-status');
  const buttons = element('div.buttons');
  const rows = rolesOfLayers.map(() => element('div.guess-layer'));
  const result = element('div.guess-result.stack');
  let study: Study | undefined;
  let maps: readonly LiveMap[] = [];

  const isOpen = (): boolean => study !== undefined && !store.state.isChecked;
  const marksAll = (): boolean => store.state.marks.length === numPlanted;

  function press(head: Head): void {
    if (!isOpen()) return;
    const { marks } = store.state;
    if (canMark(head, marks)) store.change({ marks: [...marks, head] });
    else store.change({ marks: marks.filter((other) => !sameHead(other, head)) });
  }

  /** All who chose, the reader first, if they did. */
  function choicesOf(shown: Study): Choice[] {
    const { marks } = store.state;
    return [
      ...(marks.length === 0 ? [] : [{ name: words.you, heads: marks }]),
      ...measures.map((measure) => ({
        name: words.orders[measure],
        heads: chosenBy(measure, shown),
      })),
    ];
  }

  function tileOf(place: number, choices: readonly Choice[]): TemplateResult {
    const head = allHeads[place];
    const { marks, isChecked } = store.state;
    const isMarked = hasHead(marks, head);
    const canPress = isOpen() && (isMarked || canMark(head, marks));
    const role = isChecked ? study?.roles[place] : undefined;
    const choosers = choices.filter(({ heads }) => hasHead(heads, head));
    // Not `disabled`: that would take the focus away from the tile that has just been pressed.
    return html`<button
      class="guess-tile tile stack"
      .style=${headStyle(head.head)}
      data-head=${nameOfHead(head)}
      data-truth=${role === undefined ? nothing : kindOf(role)}
      aria-pressed=${isMarked}
      aria-disabled=${canPress ? nothing : 'true'}
      @click=${() => press(head)}
    >
      <span class="guess-name head-title">${nameOfHead(head)}</span>
      <span class="guess-map">${maps.at(place)?.root}</span>
      <span class="guess-answer"
        >${
          role === undefined
            ? html`<span class="guess-mark soft">${isMarked ? words.isMarked : words.toMark}</span>`
            : html`<span class="guess-role">${{ ...mapWords.patterns, ...words.roles }[role]}</span>
                <span class="guess-choosers soft"
                  >${choosers.map(({ name }) => name).join(', ')}</span
                >`
        }</span
      >
    </button>`;
  }

  function statusNow(): string {
    const { marks, isChecked } = store.state;
    if (study === undefined) return words.notYet;
    if (!isChecked) {
      return marks.length === 0
        ? words.unmarked(numPlanted)
        : words.marked(marks.length, numPlanted);
    }
    if (marks.length === 0) return words.shown;
    return words.guessed(numPlantedAmong(marks, study.roles), numPlanted);
  }

  function show(): void {
    const { marks, isChecked } = store.state;
    const choices = study !== undefined && isChecked ? choicesOf(study) : [];
    rows.forEach((row, layer) => {
      const tiles = allHeads.flatMap((head, i) => (head.layer === layer ? tileOf(i, choices) : []));
      render(
        html`<h4 class="tiles-name">${mapWords.map.layer(layer + 1)}</h4>
          ${tiles}`,
        row,
      );
    });
    if (study === undefined) status.textContent = statusNow();
    else say(status, statusNow());
    const off = (can: boolean): 'true' | typeof nothing => (can ? nothing : 'true');
    render(
      html`<button
          class="primary"
          aria-disabled=${off(isOpen() && marksAll())}
          @click=${() => {
            if (isOpen() && marksAll()) store.change({ isChecked: true });
          }}
        >
          ${words.check}
        </button>
        <button
          aria-disabled=${off(study !== undefined)}
          @click=${() => {
            if (study !== undefined) store.change({ marks: [], isChecked: !isChecked });
          }}
          .textContent=${isChecked ? words.again : words.skip}
        ></button>`,
      buttons,
    );
    const isResult = study?.shown !== undefined && isChecked;
    result.hidden = !isResult;
    if (!isResult || study?.shown === undefined) goal.clear();
    else {
      if (marksAll() && numPlantedAmong(marks, study.roles) === numPlanted)
        goal.show(words.guessed(numPlanted, numPlanted), true);
      render(resultOf(study, study.shown, choices), result);
    }
  }

  store.follow(show);

  return {
    goal: goal.root,
    /** How many heads are marked, and the buttons. */
    panel: element('div.guess-panel.stack', status, buttons),
    views: [
      task,
      element(
        'figure.guess.stack',
        { 'aria-label': mapWords.map.heads },
        ...rows,
        element('figcaption.caption.guess-caption.row', legend.root, words.maps),
      ),
      goal.outcome,
      result,
    ],
    /** Shows this study; none while a seed is not trained. */
    draw(next: Study | undefined): void {
      if (next === study) return;
      study = next;
      maps =
        next?.shown === undefined
          ? []
          : liveMapsOf(next.shown.weights, next.shown.tokens.length).flat();
      const { tokens = [], targets = [] } = next?.shown ?? {};
      task.hidden = next?.shown === undefined;
      const asked = Array.from(tokens, (token, at) => {
        const target = targets[at] ?? -1;
        const answer =
          target < 0 ? nothing : html`<span class="answer soft">→ ${symbol(target)}</span>`;
        return html`<li><span class="token">${symbol(token)}</span>${answer}</li>`;
      });
      render(
        html`<p class="sequence-name">${words.task}</p>
          <ol class="tokens">
            ${asked}
          </ol>`,
        task,
      );
      show();
    },
    /** The maps, without the planted roles. */
    savable: {
      name: words.exportNames.maps,
      figure: () =>
        composeDrawings([
          ...rolesOfLayers.map((_, layer) =>
            maps.flatMap((map, i) =>
              allHeads[i].layer === layer
                ? [{ drawing: map.drawing(hatchFill(hatchId)), title: nameOfHead(allHeads[i]) }]
                : [],
            ),
          ),
          [drawLegend(legend.root)],
        ]),
      data: () =>
        study?.shown && {
          seed: study.seed,
          tokens: [...study.shown.tokens],
          weights: shapedWeights(study.shown.weights, study.shown.tokens.length),
        },
    },
  };
}

const symbol = (token: number): string => symbolOf('induction', token);

/** How many planted heads each chose, and what the model does without them. */
function resultOf(study: Study, shown: Shown, choices: readonly Choice[]): TemplateResult {
  const { scoreRows } = words;
  return html`<table class="scores">
      <caption .textContent=${words.scores(numPlanted)}></caption>
      <thead>
        <tr>
          <td></td>
          ${choices.map(({ name }) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">${scoreRows.found}</th>
          ${choices.map(({ heads }) => {
            const number = numPlantedAmong(heads, study.roles);
            return html`<td data-all=${number === numPlanted || nothing}>
              ${uiWords.of(number, numPlanted)}
            </td>`;
          })}
        </tr>
        <tr>
          <th scope="row">${scoreRows.without}</th>
          ${choices.map(({ heads }) => html`<td>${formatPercent(accuracyWithout(shown, heads))}</td>`)}
        </tr>
      </tbody>
    </table>
    ${loudOf(study, shown)}`;
}

/** Whether the heads that attend most sharply do the work. */
function loudOf(study: Study, shown: Shown): TemplateResult {
  const without = (measure: HeadMeasure): number =>
    accuracyWithout(shown, chosenBy(measure, study));
  const least = Math.min(
    ...chosenBy('confidence', study).map((head) => study.importance.confidence[placeOf(head)]),
  );
  const isMisled = without('confidence') > without('ablation');
  return html`<p class="guess-loud">
    ${isMisled ? html`<strong>${words.loudTitle}</strong> ` : nothing}${words.loud(
      formatShort(least),
      formatPercent(without('confidence')),
      formatPercent(study.curves[0]?.accuracy[0] ?? NaN),
      formatPercent(without('ablation')),
    )}
  </p>`;
}
