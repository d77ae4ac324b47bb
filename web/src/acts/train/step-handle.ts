import type { Store } from '../../address/store.js';
import { formatLoss, formatPercent } from '../../format/numbers.js';
import { createSlider } from '../../ui/controls/slider.js';
import { element } from '../../ui/dom.js';
import { lastStep, measureEvery } from '../../worker/training.js';
import { curveHeight, margin, stepsShown } from './curves.js';
import type { Moment, RunRecord } from './run-record.js';
import { measuredStep, type TrainState } from './state.js';
import { words } from './words.js';

export interface StepHandle {
  /** Lies over the plot of the loss curve. */
  readonly root: HTMLElement;
  /** Leads back to the present step. */
  readonly now: HTMLElement;
  draw(record: RunRecord, moment: Moment): void;
}

/** Half the width of what is dragged, as style.css has it: its middle stands at its step. */
const half = 12;

/** A handle on the loss curve: what stands in the act is then as it was after that step. */
export function createStepHandle(store: Store<TrainState>): StepHandle {
  let end = 0;
  let told = '';
  const slider = createSlider({
    label: words.handle,
    range: { min: 0, max: lastStep, step: measureEvery },
    describe: () => told,
    onSlide: (step, origin) => {
      store.change({ at: step < end ? step : undefined }, origin);
    },
  });
  const root = slider.root;
  root.classList.add('step-handle');
  Object.assign(root.style, {
    insetInlineStart: `${margin.left - half}px`,
    insetInlineEnd: `${margin.right - half}px`,
    insetBlockStart: `${margin.top}px`,
    blockSize: `${curveHeight - margin.top - margin.bottom}px`,
  });
  const now = element('button', { type: 'button', class: 'to-now' }, words.now);
  now.addEventListener('click', () => {
    store.change({ at: undefined });
  });
  return {
    root,
    now,
    draw(record, { step, measurement, isNow }) {
      end = record.step;
      told = words.stepShown(
        step,
        formatLoss(measurement.loss),
        formatPercent(measurement.accuracy),
      );
      slider.show(measuredStep(step), stepsShown(record.step));
      root.toggleAttribute('data-past', !isNow);
      // Not `disabled`: that would take the focus away from whoever has just pressed it.
      if (isNow) now.setAttribute('aria-disabled', 'true');
      else now.removeAttribute('aria-disabled');
    },
  };
}
