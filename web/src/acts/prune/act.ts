import type { Store } from '../../address/store.js';
import { hideable } from '../../address/hideable.js';
import { createPanelEnd } from '../../ui/controls/panel-end.js';
import { boundSeed } from '../../ui/controls/seed-field.js';
import { element } from '../../ui/dom.js';
import { createStage, openFolded } from '../../ui/stage.js';
import { createWorker } from '../../worker/notice.js';
import { createGuessView } from './guess-view.js';
import { createModelView } from './model-view.js';
import { createResults } from './results.js';
import type { PruneState } from './state.js';
import { builtInSeed, numSeeds, Planter } from './studies.js';
import { createWorkPanel } from './work-panel.js';
import { words } from './words.js';

/** Planted models, whose important heads are known, to judge the measures; then the language model. */
export function createPruneContent(store: Store<PruneState>): HTMLElement[] {
  const { notice, connection } = createWorker(() => plant());
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
  store.follow(follow);

  const stage = [
    createStage({
      rail: [
        element('h3', words.guess),
        element('div.rail-pinned', guess.goal, guess.panel),
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
function createPlantPanel(store: Store<PruneState>, planter: Planter, onPlant: () => void) {
  // Another seed plants elsewhere: marks do not apply to it.
  const seed = boundSeed(store, { marks: [], isChecked: false });
  const panel = createWorkPanel(words.plant, onPlant, () => planter.stop());

  function statusNow(): string {
    const { state, studies, seed: studied } = planter;
    if (state === 'busy') return words.progress(studied, studies.length + 1, numSeeds);
    if (studies.length === 0) return words.notTrained(numSeeds);
    if (store.state.seed === builtInSeed) return words.builtIn(studies.length);
    return words.results(studies.length, state === 'done');
  }
  return {
    root: hideable('controls', element('div.controls', seed, panel.root, panel.status)),
    show(): void {
      panel.show({
        isBusy: planter.state === 'busy',
        isOff: store.state.seed === builtInSeed,
        share: planter.progress,
        status: statusNow(),
      });
    },
  };
}
