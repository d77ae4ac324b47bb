import { boundChoice } from '../controls/bound.js';
import { element, setAttributes } from '../dom.js';
import type { Store } from '../state/store.js';
import { speeds, type TrainState } from '../state/train-state.js';
import { text } from '../text/index.js';
import type { Runner } from './runner.js';

export interface Transport {
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
export function createTransport(store: Store<TrainState>, actions: Actions): Transport {
  const words = text.train;
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
      { class: 'transport' },
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
