import { html, render } from 'lit-html';

import type { Store } from '../../address/store.js';
import { hideable } from '../../address/hideable.js';
import { createPanelEnd } from '../../ui/controls/panel-end.js';
import { createSeedField } from '../../ui/controls/seed-field.js';
import { element } from '../../ui/dom.js';
import { announce } from '../../ui/live-region.js';
import { createStage } from '../../ui/stage.js';
import { Connection } from '../../worker/connection.js';
import { createWorkerNotice } from '../../worker/notice.js';
import type { Study } from '../../worker/study.js';
import { createGuessView } from './guess-view.js';
import { numSeeds, Planter } from './planter.js';
import { createResults } from './results.js';
import { createSessionView } from './session-view.js';
import type { PruneState } from './state.js';
import { words } from './words.js';

/** A model whose truth is known: guessed, measured and pruned. */
export function createPruneContent(store: Store<PruneState>): HTMLElement[] {
  const notice = createWorkerNotice(() => {
    connection.giveUp();
    plant();
  });
  const connection = new Connection(notice.showSlow);
  const planter = new Planter(connection, {
    onChange: show,
    onFailure: (error) => {
      notice.showFailure(error);
      session.close();
    },
  });
  // Nothing tells what was planted before the reader has guessed, or asks for it.
  const isRevealed = (): boolean => store.state.isChecked && planter.studies.length > 0;
  const fail = (error: unknown): void => {
    planter.fail(error);
  };
  const panel = createPlantPanel(store, plant, () => {
    planter.stop();
  });
  const guess = createGuessView(store, connection, fail);
  const results = createResults(store, () => (isRevealed() ? planter.studies : []));
  const session = createSessionView(store, connection, fail);

  function plant(): void {
    notice.clear();
    session.close();
    void planter.plant(store.state.seed);
  }

  let drawn: Planter['studies'] = [];
  /** The study whose model is in the session. */
  let opened: Study | undefined;
  function show(): void {
    panel.show(planter);
    const { studies } = planter;
    guess.draw(studies.at(0));
    const shown = isRevealed() ? studies : [];
    if (shown.length !== drawn.length || shown.some((study, i) => study !== drawn[i])) {
      drawn = shown;
      results.draw();
    }
    const next = shown.at(0);
    if (next === opened) return;
    opened = next;
    if (next === undefined) session.close();
    else session.open(next);
  }

  let { seed } = store.state;
  store.subscribe((state) => {
    if (state.seed !== seed) {
      seed = state.seed;
      // What is shown is of another seed.
      if (planter.state !== 'idle') plant();
    }
    show();
  });

  return [
    createStage({
      label: words.panel,
      rail: [
        element('h3', {}, words.guess),
        element('div', { class: 'rail-pinned' }, guess.goal, panel.root, guess.panel),
        notice.root,
      ],
      end: createPanelEnd(store, 'prune', [guess.savable, ...results.savables]),
      views: [guess.tiles, guess.result],
    }),
    ...results.roots,
    session.root,
  ];
}

export interface PlantPanel {
  readonly root: HTMLElement;
  show(planter: Planter): void;
}

/** Which seed, the button that plants or stops, and how far it has come. */
export function createPlantPanel(
  store: Store<PruneState>,
  onPlant: () => void,
  onStop: () => void,
): PlantPanel {
  const seed = createSeedField((chosen, origin) => {
    // Another seed plants elsewhere: what was marked and pruned says nothing of it.
    store.change({ seed: chosen, marks: [], isChecked: false, pruned: [] }, origin);
  });
  seed.show(store.state.seed);
  store.subscribe((state) => {
    seed.show(state.seed);
  });
  const button = element('div', { class: 'plant' });
  const progress = element('div', { class: 'plant-progress' });
  const show = (isBusy: boolean, done: number, sentence: string): void => {
    render(
      html`<button
        type="button"
        class="primary"
        @click=${isBusy ? onStop : onPlant}
        .textContent=${isBusy ? words.stop : words.plant}
      ></button>`,
      button,
    );
    render(
      html`<progress class="progress" max="1" .value=${done} aria-label=${words.panel}></progress>
        <p class="plant-status">${sentence}</p>`,
      progress,
    );
  };
  show(false, 0, words.notYet);
  let wasBusy = false;

  function sentenceOf({ state, studies, seed: studied }: Planter): string {
    if (state === 'busy') return words.progress(studied, studies.length + 1, numSeeds);
    if (studies.length === 0) return words.notYet;
    return state === 'done' ? words.done(studies.length) : words.stopped(studies.length);
  }
  return {
    root: hideable('controls', element('div', { class: 'controls' }, seed.root, button, progress)),
    show(planter) {
      const isBusy = planter.state === 'busy';
      show(isBusy, planter.progress, sentenceOf(planter));
      if (wasBusy && !isBusy) announce(sentenceOf(planter));
      wasBusy = isBusy;
    },
  };
}
