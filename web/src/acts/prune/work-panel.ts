import { html, nothing, render } from 'lit-html';

import { element } from '../../ui/dom.js';
import { say } from '../../ui/live-region.js';
import { words } from './words.js';

/** Work of some seconds or minutes, as it stands. */
interface Work {
  readonly isBusy: boolean;
  /** Whether there is nothing to start. */
  readonly isOff: boolean;
  /** From 0 to 1. */
  readonly share: number;
  readonly status: string;
}

/** A button that starts work in a worker or stops it, with its progress. */
export function createWorkPanel(label: string, onStart: () => void, onStop: () => void) {
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
            .textContent=${isBusy ? words.stop : label}
          ></button>
          <progress class="progress" max="1" .value=${share} aria-label=${label}></progress>`,
        root,
      );
      // Each percent would be read out.
      if (isBusy) told.textContent = status;
      else say(told, status);
    },
  };
}
