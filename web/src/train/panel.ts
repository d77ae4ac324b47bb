import { createActPanel } from '../controls/act-panel.js';
import { boundChoice } from '../controls/bound.js';
import { createSeedField } from '../controls/seed-field.js';
import { createSelect } from '../controls/select.js';
import { taskNames } from '../lab/tasks.js';
import type { Store } from '../state/store.js';
import {
  layerCounts,
  learningRates,
  trainHeadCounts,
  type TrainState,
} from '../state/train-state.js';
import { text } from '../text/index.js';

/** What is trained. Every change begins a new run. */
export function createTrainPanel(store: Store<TrainState>): HTMLElement {
  const seed = createSeedField((chosen, origin) => {
    store.change({ seed: chosen }, origin);
  });
  seed.show(store.state.seed);
  store.subscribe((state) => {
    seed.show(state.seed);
  });
  const words = text.train;
  return createActPanel(store, {
    act: 'train',
    label: words.panel,
    controls: [
      boundChoice(store, 'task', {
        label: words.task,
        values: taskNames,
        nameOf: (name) => words.tasks[name],
        as: createSelect,
      }),
      boundChoice(store, 'layers', { label: words.layers, values: layerCounts, nameOf: String }),
      boundChoice(store, 'heads', { label: words.heads, values: trainHeadCounts, nameOf: String }),
      boundChoice(store, 'rate', {
        label: words.rate,
        values: learningRates,
        nameOf: String,
        as: createSelect,
      }),
      seed.root,
    ],
  });
}
