import { html, nothing, render } from 'lit-html';

import { element } from '../dom.js';
import { words } from '../words.js';

/** What the buttons of a run do. */
export interface RunActions {
  readonly onPlay: () => void;
  readonly onPause: () => void;
  readonly onStep: () => void;
  readonly onAgain: () => void;
}

/** Start and pause of a run in one button, one step, and begin again. */
export function createPlaybackButtons(actions: RunActions) {
  const root = element('div.playback.buttons', { role: 'group', 'aria-label': words.run.label });
  /** @param play label of the start button, if not the usual one */
  const show = (state: string, step: number, play?: string): void => {
    const isRunning = state === 'running';
    // Not `disabled`: that would take the focus away from whoever has just pressed it.
    const isOver = state === 'ended' ? 'true' : nothing;
    render(
      html`
        <button
          class="primary"
          aria-disabled=${isOver}
          @click=${isRunning ? actions.onPause : actions.onPlay}
          .textContent=${isRunning ? words.run.pause : (play ?? (step > 0 ? words.run.goOn : words.run.start))}
        ></button>
        <button aria-disabled=${isOver} @click=${actions.onStep}>${words.run.step}</button>
        <button @click=${actions.onAgain}>${words.run.again}</button>
      `,
      root,
    );
  };
  show('idle', 0);
  return { root, show };
}
