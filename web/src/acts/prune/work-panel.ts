import { html, nothing, render } from 'lit-html';

import { element } from '../../ui/dom.js';
import { say } from '../../ui/live-region.js';

/** Work of some seconds or minutes, as it stands. */
interface Work {
  readonly isBusy: boolean;
  /** Whether there is nothing to start. */
  readonly isOff: boolean;
  /** From 0 to 1. */
  readonly share: number;
  readonly status: string;
}

interface Labels {
  readonly start: string;
  readonly stop: string;
  readonly progress: string;
}

/** A button that starts work in a worker or stops it, with its progress. */
export function createWorkPanel(labels: Labels, onStart: () => void, onStop: () => void) {
  const root = element('div.plant');
  const told = element('p.plant-status.two-lines.soft');
  return {
    root,
    status: told,
    show({ isBusy, isOff, share, status }: Work): void {
      render(
        html`<button
            aria-disabled=${isOff ? 'true' : nothing}
            @click=${() => {
              if (isBusy) onStop();
              else if (!isOff) onStart();
            }}
            .textContent=${isBusy ? labels.stop : labels.start}
          ></button>
          <progress
            class="progress"
            max="1"
            .value=${share}
            aria-label=${labels.progress}
          ></progress>`,
        root,
      );
      // Each percent would be read out.
      if (isBusy) told.textContent = status;
      else say(told, status);
    },
  };
}
