import type { Store } from '../../address/store.js';
import { createActPanel } from '../../ui/controls/act-panel.js';
import { boundChoice, createSelect } from '../../ui/controls/choice.js';
import { createSeedField } from '../../ui/controls/seed-field.js';
import { element, setAttributes } from '../../ui/dom.js';
import { taskNames } from '../../worker/tasks.js';
import type { Runner } from './runner.js';
import { layerCounts, learningRates, speeds, trainHeadCounts, type TrainState } from './state.js';
import { words } from './words.js';

/** What is trained. Every change begins a new run. */
export function createTrainPanel(store: Store<TrainState>): HTMLElement {
  const seed = createSeedField((chosen, origin) => {
    store.change({ seed: chosen }, origin);
  });
  seed.show(store.state.seed);
  store.subscribe((state) => {
    seed.show(state.seed);
  });
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

export interface Playback {
  readonly root: HTMLElement;
  show(runner: Runner): void;
}

interface Actions {
  readonly onPlay: () => void;
  readonly onPause: () => void;
  readonly onStep: () => void;
  readonly onAgain: () => void;
}

/** Start and pause in one button, one step, begin again, and how fast. */
export function createPlayback(store: Store<TrainState>, actions: Actions): Playback {
  const play = element('button', { type: 'button', class: 'primary' }, words.start);
  const step = element('button', { type: 'button' }, words.step);
  const again = element('button', { type: 'button' }, words.again);
  let isRunning = false;
  play.addEventListener('click', () => {
    if (isRunning) actions.onPause();
    else actions.onPlay();
  });
  step.addEventListener('click', actions.onStep);
  again.addEventListener('click', actions.onAgain);
  return {
    root: element(
      'div',
      { class: 'playback' },
      element(
        'div',
        { class: 'buttons', role: 'group', 'aria-label': words.buttons },
        play,
        step,
        again,
      ),
      boundChoice(store, 'speed', {
        label: words.speed,
        values: speeds,
        nameOf: (speed) => words.speeds[speed],
      }),
    ),
    show({ state, record }) {
      isRunning = state === 'running';
      const hasBegun = record !== undefined && record.step > 0;
      const name = isRunning ? words.pause : hasBegun ? words.goOn : words.start;
      if (play.textContent !== name) play.textContent = name;
      // Not `disabled`: that would take the focus away from whoever has just pressed it.
      const isOver = state === 'ended' ? 'true' : undefined;
      setAttributes(play, { 'aria-disabled': isOver });
      setAttributes(step, { 'aria-disabled': isOver });
    },
  };
}
