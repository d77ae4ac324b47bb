import { render } from 'lit-html';

import type { Store } from '../../address/store.js';
import { element } from '../../ui/dom.js';
import { failureNotice } from '../../ui/notices.js';
import type { Experiments } from './experiments.js';
import { type Cause, causes, type ToyState } from './state.js';
import { words } from './words.js';

/** The question that comes before the controls, which take its place. */
export function createQuestion(store: Store<ToyState>, controls: HTMLElement): HTMLElement {
  const ask = (guess: ToyState['guess'], name: string): HTMLElement => {
    const button = element('button', { type: 'button' }, name);
    button.addEventListener('click', () => {
      store.change({ guess });
      // The pressed button is gone with the question.
      if (guess === 'skipped') controls.querySelector<HTMLElement>(':checked')?.focus();
    });
    return button;
  };
  return element(
    'fieldset',
    { class: 'control question' },
    element('legend', {}, words.question),
    ...causes.map((cause) => ask(cause, words.causes[cause])),
    element('div', { class: 'question-skip' }, ask('skipped', words.skip)),
  );
}

/** Where all three causes are tried, once the reader has predicted; their code is loaded then. */
export function createAnswer(store: Store<ToyState>, hatch: string): HTMLElement {
  const root = element('div', { class: 'experiments-place' });
  let loading: Promise<Experiments> | undefined;
  let { guess } = store.state;

  async function show(cause: Cause, isNew: boolean): Promise<void> {
    try {
      loading ??= import('./experiments.js').then(({ createExperiments }) =>
        createExperiments(hatch),
      );
      const experiments = await loading;
      if (guess !== cause) return;
      if (experiments.root.parentNode !== root) root.replaceChildren(experiments.root);
      experiments.show(cause, isNew);
      // Browsers keep the maps below where they were, and so might push this out of sight.
      if (isNew) root.scrollIntoView({ block: 'nearest' });
    } catch (error) {
      loading = undefined;
      render(failureNotice(error), root);
    }
  }
  function follow(next: ToyState['guess'], isNew: boolean): void {
    guess = next;
    const isAnswered = guess !== 'open' && guess !== 'skipped';
    root.hidden = !isAnswered;
    if (isAnswered) void show(guess as Cause, isNew);
    else
      void loading?.then((experiments) => {
        experiments.stop();
      });
  }
  follow(guess, false);
  store.subscribe((state, origin) => {
    if (state.guess !== guess) follow(state.guess, origin === 'push');
  });
  return root;
}
