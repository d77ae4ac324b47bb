import { html, nothing, render } from 'lit-html';

import type { Store } from '../../address/store.js';
import { hideable } from '../../address/hideable.js';
import { createPanelEnd } from '../../ui/controls/panel-end.js';
import { createSeedField } from '../../ui/controls/seed-field.js';
import { element } from '../../ui/dom.js';
import { say } from '../../ui/live-region.js';
import { createStage, openFolded } from '../../ui/stage.js';
import { Connection } from '../../worker/connection.js';
import { createWorkerNotice } from '../../worker/notice.js';
import { createGuessView } from './guess-view.js';
import { createModelView } from './model-view.js';
import { numSeeds, Planter } from './planter.js';
import { builtInSeed } from './records.js';
import { createResults } from './results.js';
import type { PruneState } from './state.js';
import { words } from './words.js';

/** Planted models, whose important heads are known, to judge the measures; then the language model. */
export function createPruneContent(store: Store<PruneState>): HTMLElement[] {
  const notice = createWorkerNotice(() => {
    connection.giveUp();
    plant();
  });
  const connection = new Connection(notice.showSlow);
  const planter = new Planter(connection, { onChange: show, onFailure: notice.showFailure });
  const guess = createGuessView(store);
  const results = createResults(() => (store.state.isChecked ? planter.studies : []));
  const model = createModelView(store);
  const panel = createPlantPanel(store, planter, plant);

  function plant(): void {
    notice.clear();
    void planter.plant(store.state.seed);
  }

  let drawn = '';
  function show(): void {
    panel.show();
    const { studies } = planter;
    guess.draw(studies.at(0));
    // Roles are secret until the reader has guessed, or asks for them.
    const next = store.state.isChecked ? studies.map(({ seed }) => seed).join() : '';
    if (next === drawn) return;
    drawn = next;
    results.draw();
  }

  let seed: number | undefined;
  function follow(state: PruneState): void {
    const isFirst = seed === undefined;
    if (state.seed !== seed) {
      seed = state.seed;
      // A seed of the address waits for the button: training takes seconds.
      if (!isFirst || seed === builtInSeed) plant();
    }
    show();
  }
  store.subscribe(follow);
  follow(store.state);

  const stage = [
    createStage({
      label: words.panel,
      rail: [
        element('h3', {}, words.guess),
        element('div', { class: 'rail-pinned' }, guess.goal, guess.panel),
        notice.root,
      ],
      more: { label: words.otherSeed, content: [panel.root] },
      end: createPanelEnd(store, 'prune', [guess.savable, ...results.savables, ...model.savables]),
      views: guess.views,
    }),
    results.root,
    model.root,
  ];
  if (planter.studies.length === 0) openFolded(stage[0]);
  return stage;
}

/** The seed, the button that trains or stops, and the progress. */
function createPlantPanel(
  store: Store<PruneState>,
  planter: Planter,
  onPlant: () => void,
): { readonly root: HTMLElement; show(): void } {
  const seed = createSeedField((chosen, origin) => {
    // Another seed plants elsewhere: marks do not apply to it.
    store.change({ seed: chosen, marks: [], isChecked: false }, origin);
  });
  const train = element('div', { class: 'plant' });
  const status = element('p', { class: 'plant-status' });

  function statusNow(): string {
    const { state, studies, seed: studied } = planter;
    if (state === 'busy') return words.progress(studied, studies.length + 1, numSeeds);
    if (studies.length === 0) return words.notTrained(numSeeds);
    if (store.state.seed === builtInSeed) return words.builtIn(studies.length);
    return state === 'done' ? words.done(studies.length) : words.stopped(studies.length);
  }
  return {
    root: hideable('controls', element('div', { class: 'controls' }, seed.root, train, status)),
    show() {
      seed.show(store.state.seed);
      const isBusy = planter.state === 'busy';
      const isOff = store.state.seed === builtInSeed;
      const press = (): void => {
        if (isBusy) planter.stop();
        else if (!isOff) onPlant();
      };
      render(
        html`<button
            type="button"
            aria-disabled=${isOff ? 'true' : nothing}
            @click=${press}
            .textContent=${isBusy ? words.stop : words.plant}
          ></button>
          <progress
            class="progress"
            max="1"
            .value=${planter.progress}
            aria-label=${words.panel}
          ></progress>`,
        train,
      );
      if (isBusy) status.textContent = statusNow();
      else say(status, statusNow());
    },
  };
}
