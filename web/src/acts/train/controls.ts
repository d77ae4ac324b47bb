import type { Store } from '../../address/store.js';
import { hideable } from '../../address/hideable.js';
import { boundChoice, createSelect } from '../../ui/controls/choice.js';
import { createPlaybackButtons } from '../../ui/controls/playback.js';
import { createSeedField } from '../../ui/controls/seed-field.js';
import { element } from '../../ui/dom.js';
import type { RunActions } from '../../worker/run-driver.js';
import { taskNames } from '../../worker/tasks.js';
import type { Runner } from './runner.js';
import {
  layerCounts,
  learningRates,
  lossScales,
  speeds,
  trainHeadCounts,
  type TrainState,
} from './state.js';
import { words } from './words.js';

export interface TrainPanel {
  /** What most readers change. */
  readonly main: HTMLElement;
  /** The rest. */
  readonly more: HTMLElement;
}

/** How fast a run goes, and what is trained: a change of that begins a new run. */
export function createTrainPanel(store: Store<TrainState>): TrainPanel {
  const seed = createSeedField((chosen, origin) => {
    store.change({ seed: chosen }, origin);
  });
  seed.show(store.state.seed);
  store.subscribe((state) => {
    seed.show(state.seed);
  });
  const controls = (...roots: readonly HTMLElement[]): HTMLElement =>
    hideable('controls', element('div', { class: 'controls' }, ...roots));
  const explanation = element('p', { class: 'note task-explanation' });
  const explain = ({ task }: TrainState): void => {
    explanation.textContent = words.explanations[task];
  };
  store.subscribe(explain);
  explain(store.state);
  return {
    main: controls(
      boundChoice(store, 'speed', {
        label: words.speed,
        values: speeds,
        nameOf: (speed) => words.speeds[speed],
      }),
      element(
        'div',
        {},
        boundChoice(store, 'task', {
          label: words.task,
          values: taskNames,
          nameOf: (name) => words.tasks[name],
          as: createSelect,
        }),
        explanation,
      ),
      boundChoice(store, 'layers', { label: words.layers, values: layerCounts, nameOf: String }),
      boundChoice(store, 'heads', { label: words.heads, values: trainHeadCounts, nameOf: String }),
    ),
    more: controls(
      boundChoice(store, 'rate', {
        label: words.rate,
        values: learningRates,
        nameOf: String,
        as: createSelect,
      }),
      seed.root,
      boundChoice(store, 'scale', {
        label: words.scale,
        values: lossScales,
        nameOf: (name) => words.scales[name],
      }),
    ),
  };
}

export interface Playback {
  readonly root: HTMLElement;
  show(runner: Runner): void;
}

/** The buttons of the run. */
export function createPlayback(actions: RunActions): Playback {
  const buttons = createPlaybackButtons(words, actions);
  return {
    root: element('div', { class: 'playback' }, buttons.root),
    show({ state, record }) {
      buttons.show(state, record?.step ?? 0);
    },
  };
}
