import type { HeadMeasure } from 'headwise/models';
import { html, nothing, render, type TemplateResult } from 'lit-html';

import type { Store } from '../../address/store.js';
import { shapedWeights } from '../../attention/shaped-weights.js';
import { createWeightLegend } from '../../attention/weight-legend.js';
import { formatPercent, formatShort } from '../../format/numbers.js';
import { element, newId, setAttributes } from '../../ui/dom.js';
import { composeDrawings, drawLegend, type Piece } from '../../ui/export/drawing.js';
import type { Savable } from '../../ui/export/save-menu.js';
import { announce } from '../../ui/live-region.js';
import { createGoal } from '../../ui/goal.js';
import type { Connection } from '../../worker/connection.js';
import {
  allHeads,
  type Head,
  isPlanted,
  nameOfHead,
  numPlanted,
  type Role,
  rolesOfLayers,
  sameHead,
} from '../../worker/heads.js';
import type { Quality } from '../../worker/planted-model.js';
import { chosenBy, measures, type Study } from '../../worker/study.js';
import { createGuessTile, type GuessTile } from './guess-tile.js';
import { canMark, type PruneState } from './state.js';
import { words } from './words.js';

export interface GuessView {
  readonly goal: HTMLElement;
  /** How many are marked, and the buttons. */
  readonly panel: HTMLElement;
  readonly tiles: HTMLElement;
  /** What came of it. */
  readonly result: HTMLElement;
  /** Of the model in the session; nothing while there is none. */
  draw(study: Study | undefined): void;
  /** The maps, without a word of what was planted. */
  readonly savable: Savable;
}

/** Heads that the reader or a measure chose. */
interface Choice {
  readonly name: string;
  readonly heads: readonly Head[];
}

/** The reader marks the heads that do the work by their maps, and is then told what was planted and what measures say. */
export function createGuessView(
  store: Store<PruneState>,
  connection: Connection,
  onFailure: (error: unknown) => void,
): GuessView {
  const goal = createGoal(words.guessTask(numPlanted));
  const tiles = allHeads.map((head) =>
    createGuessTile(head, () => {
      press(head);
    }),
  );
  const hatchId = newId('hatch');
  const legend = createWeightLegend(hatchId);
  const status = element('p', { class: 'guess-status' });
  const check = element('button', { type: 'button', class: 'primary' }, words.check);
  const skip = element('button', { type: 'button' }, words.skip);
  const panel = element(
    'div',
    { class: 'guess-panel' },
    status,
    element('div', { class: 'buttons' }, check, skip),
  );
  const result = element('div', { class: 'guess-result' });
  let study: Study | undefined;
  /** What the models without the chosen heads do, the whole one last; of the study that is shown. */
  let qualities: readonly Quality[] = [];

  const isOpen = (): boolean => study !== undefined && !store.state.isChecked;

  function press(head: Head): void {
    if (!isOpen()) return;
    const { marks } = store.state;
    if (canMark(head, marks)) store.change({ marks: [...marks, head] });
    else store.change({ marks: marks.filter((other) => !sameHead(other, head)) });
  }
  check.addEventListener('click', () => {
    if (isOpen() && store.state.marks.length === numPlanted) store.change({ isChecked: true });
  });
  skip.addEventListener('click', () => {
    if (isOpen()) store.change({ marks: [], isChecked: true });
  });

  /** All who chose, the reader first, if they did. */
  function choicesOf(shown: Study): Choice[] {
    const { marks } = store.state;
    return [
      ...(marks.length === 0 ? [] : [{ name: words.you, heads: marks }]),
      ...measures.map((measure) => ({
        name: words.measures[measure],
        heads: chosenBy(measure, shown),
      })),
    ];
  }

  function showTiles(): void {
    const { marks, isChecked } = store.state;
    const choices = study !== undefined && isChecked ? choicesOf(study) : [];
    tiles.forEach((tile, i) => {
      const head = allHeads[i];
      const isMarked = marks.some((other) => sameHead(other, head));
      const canPress = isOpen() && (isMarked || canMark(head, marks));
      const truth =
        study === undefined || !isChecked
          ? undefined
          : {
              role: study.roles[i],
              choosers: choices
                .filter(({ heads }) => heads.some((other) => sameHead(other, head)))
                .map(({ name }) => name),
            };
      tile.show(isMarked, canPress, truth);
    });
  }

  function showPanel(): void {
    const { marks, isChecked } = store.state;
    panel.hidden = !isOpen();
    const told =
      marks.length === 0 ? words.unmarked(numPlanted) : words.marked(marks.length, numPlanted);
    if (isOpen() && told !== status.textContent) announce(told);
    status.textContent = told;
    setAttributes(check, { 'aria-disabled': marks.length === numPlanted ? undefined : 'true' });
    result.hidden = study === undefined || !isChecked;
    if (study === undefined || !isChecked) {
      goal.show('');
      render(nothing, result);
      return;
    }
    renderResult(study, choicesOf(study));
  }

  function renderResult(shown: Study, choices: readonly Choice[]): void {
    const foundIn = (heads: readonly Head[]): number => numPlantedOf(heads, shown.roles);
    const { marks } = store.state;
    const found = foundIn(marks);
    if (marks.length > 0) {
      const all = found === numPlanted;
      const told = all ? words.guessReached(numPlanted) : words.guessMissed(found, numPlanted);
      if (!all && qualities.length === 0) announce(told);
      goal.show(told, all);
    }
    const { scoreRows } = words;
    render(
      html`<table class="scores">
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
                const number = foundIn(heads);
                return html`<td data-all=${number === numPlanted || nothing}>
                  ${words.found(number, numPlanted)}
                </td>`;
              })}
            </tr>
            <tr>
              <th scope="row">${scoreRows.without}</th>
              ${choices.map(
                (_, i) =>
                  html`<td>${qualities.length === 0 ? words.measuring : accuracyOf(i)}</td>`,
              )}
            </tr>
          </tbody>
        </table>
        ${loudOf(shown, choices)}`,
      result,
    );
  }

  const accuracyOf = (choice: number): string => formatPercent(qualities[choice].accuracy);

  /** Whether the heads that attend most sharply do the work; nothing until it is measured. */
  function loudOf(shown: Study, choices: readonly Choice[]): TemplateResult | typeof nothing {
    if (qualities.length === 0) return nothing;
    const at = (measure: HeadMeasure): number =>
      choices.length - measures.length + measures.indexOf(measure);
    const [loud, useful, whole] = [at('confidence'), at('ablation'), choices.length];
    const least = Math.min(
      ...choices[loud].heads.map((head) => shown.importance.confidence[placeOf(head)]),
    );
    const isMisled = qualities[loud].accuracy > qualities[useful].accuracy;
    return html`<p class="guess-loud">
      ${isMisled ? html`<strong>${words.loudTitle}</strong> ` : nothing}${words.loud(
        formatShort(least),
        accuracyOf(loud),
        accuracyOf(whole),
        accuracyOf(useful),
      )}
    </p>`;
  }

  /** Asks the worker what the model does without the heads that were chosen. */
  async function measure(shown: Study): Promise<void> {
    const asked = store.state.marks;
    const choices = [...choicesOf(shown).map(({ heads }) => heads), []];
    try {
      const answer = await connection.call(({ pruning }) => pruning.without(choices));
      if (study !== shown || store.state.marks !== asked || !store.state.isChecked) return;
      qualities = answer;
      showPanel();
      announce(result.querySelector('.guess-loud')?.textContent.trim() ?? '');
    } catch (error) {
      if (study === shown) onFailure(error);
    }
  }

  function show(): void {
    showTiles();
    showPanel();
  }

  let checked = '';
  /** The result is of what is marked and of the model: once for each. */
  function follow(): void {
    const { marks, isChecked } = store.state;
    const next = isChecked && study !== undefined ? `${study.seed} ${nameAll(marks)}` : '';
    if (next !== checked) {
      checked = next;
      qualities = [];
      if (study !== undefined && next !== '') void measure(study);
    }
    show();
  }
  store.subscribe(follow);
  show();

  return {
    goal: goal.root,
    panel,
    result,
    tiles: element(
      'figure',
      { class: 'guess', 'aria-label': words.tiles },
      ...rolesOfLayers.map((_, layer) =>
        element(
          'div',
          { class: 'guess-layer', role: 'group', 'aria-label': words.layer(layer + 1) },
          element('h4', { class: 'tiles-name' }, words.layer(layer + 1)),
          ...tilesOf(tiles, layer).map(({ root }) => root),
        ),
      ),
      element('figcaption', { class: 'caption guess-caption' }, legend.root, words.maps),
    ),
    draw(next) {
      if (next === study) return;
      study = next;
      checked = '';
      const length = next?.shown.tokens.length ?? 0;
      const area = length * length;
      tiles.forEach((tile, i) => {
        const { layer, head } = allHeads[i];
        tile.draw(next?.weights[layer].subarray(head * area, (head + 1) * area), length);
      });
      follow();
    },
    savable: {
      name: words.exportNames.maps,
      figure: () =>
        composeDrawings([
          ...rolesOfLayers.map((_, layer) => drawingsOf(layer)),
          [drawLegend(legend.root)],
        ]),
      data: () =>
        study && {
          seed: study.seed,
          tokens: [...study.shown.tokens],
          weights: shapedWeights(study.weights, study.shown.tokens.length),
        },
    },
  };

  function drawingsOf(layer: number): Piece[] {
    return allHeads.flatMap((head, i) => {
      const { map } = tiles[i];
      if (map === undefined || head.layer !== layer) return [];
      return [{ drawing: map.drawing(hatchId), title: nameOfHead(head) }];
    });
  }
}

const nameAll = (heads: readonly Head[]): string => heads.map(nameOfHead).join();

const placeOf = (head: Head): number => allHeads.findIndex((each) => sameHead(each, head));

const numPlantedOf = (heads: readonly Head[], roles: readonly Role[]): number =>
  heads.filter((head) => isPlanted(roles[placeOf(head)])).length;

const tilesOf = (tiles: readonly GuessTile[], layer: number): GuessTile[] =>
  tiles.filter((_tile, i) => allHeads[i].layer === layer);
