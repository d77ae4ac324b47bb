import { html, nothing, render } from 'lit-html';

import type { Store } from '../../address/store.js';
import { createActPanel } from '../../ui/controls/act-panel.js';
import { boundChoice, createSelect } from '../../ui/controls/choice.js';
import { createSeedField } from '../../ui/controls/seed-field.js';
import { element } from '../../ui/dom.js';
import { taskNames } from '../../worker/tasks.js';
import type { Runner, RunnerState } from './runner.js';
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
  const { onPlay, onPause, onStep, onAgain } = actions;
  const buttons = element('div', {
    class: 'buttons',
    role: 'group',
    'aria-label': words.buttons,
  });
  const show = (state: RunnerState, step: number): void => {
    const isRunning = state === 'running';
    // Not `disabled`: that would take the focus away from whoever has just pressed it.
    const isOver = state === 'ended' ? 'true' : nothing;
    render(
      html`
        <button
          type="button"
          class="primary"
          aria-disabled=${isOver}
          @click=${isRunning ? onPause : onPlay}
          .textContent=${isRunning ? words.pause : step > 0 ? words.goOn : words.start}
        ></button>
        <button type="button" aria-disabled=${isOver} @click=${onStep}>${words.step}</button>
        <button type="button" @click=${onAgain}>${words.again}</button>
      `,
      buttons,
    );
  };
  show('idle', 0);
  return {
    root: element(
      'div',
      { class: 'playback' },
      buttons,
      boundChoice(store, 'speed', {
        label: words.speed,
        values: speeds,
        nameOf: (speed) => words.speeds[speed],
      }),
    ),
    show({ state, record }) {
      show(state, record?.step ?? 0);
    },
  };
}
