import { createActPanel } from '../controls/act-panel.js';
import { createSeedField } from '../controls/seed-field.js';
import { element } from '../dom.js';
import type { PruneState } from '../state/prune-state.js';
import type { Store } from '../state/store.js';
import { text } from '../text/index.js';
import { numSeeds, type Planter } from './planter.js';

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
  const words = text.prune;
  const seed = createSeedField((chosen, origin) => {
    store.change({ seed: chosen }, origin);
  });
  seed.show(store.state.seed);
  store.subscribe((state) => {
    seed.show(state.seed);
  });
  let isBusy = false;
  const plant = element('button', { type: 'button', class: 'primary' }, words.plant);
  plant.addEventListener('click', () => {
    if (isBusy) onStop();
    else onPlant();
  });
  const bar = element('progress', {
    class: 'progress',
    max: 1,
    value: 0,
    'aria-label': words.panel,
  });
  const status = element('p', { class: 'plant-status', role: 'status' }, words.notYet);

  function sentenceOf({ state, studies, seed: studied }: Planter): string {
    if (state === 'busy') return words.progress(studied, studies.length + 1, numSeeds);
    if (studies.length === 0) return words.notYet;
    return state === 'done' ? words.done(studies.length) : words.stopped(studies.length);
  }
  return {
    root: createActPanel(store, {
      act: 'prune',
      label: words.panel,
      controls: [seed.root, plant, element('div', { class: 'plant-progress' }, bar, status)],
    }),
    show(planter) {
      isBusy = planter.state === 'busy';
      const name = isBusy ? words.stop : words.plant;
      // WebKit forgets a press on a button whose text is replaced before it is let go.
      if (plant.textContent !== name) plant.textContent = name;
      bar.value = planter.progress;
      // Told once a seed, not with every step.
      const sentence = sentenceOf(planter);
      if (status.textContent !== sentence) status.textContent = sentence;
    },
  };
}
