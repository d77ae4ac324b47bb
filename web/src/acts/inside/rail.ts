import { range } from 'd3-array';
import { html, nothing, render } from 'lit-html';

import { hideable } from '../../address/hideable.js';
import type { Store } from '../../address/store.js';
import { formatBytes } from '../../format/numbers.js';
import { languageModel } from '../../reading/model.js';
import { sayLoading, words as readingWords } from '../../reading/sentence-field.js';
import { boundChoice, createChoice, createSelect } from '../../ui/controls/choice.js';
import { element, setText, withHeadColour } from '../../ui/dom.js';
import { createGoal } from '../../ui/goal.js';
import { builtInBytes } from '../../worker/built-in-size.js';
import type { Source } from './source.js';
import type { InsideState } from './state.js';
import { type Guess, guesses, stepNumbers } from './steps.js';
import { sayStep, words } from './words.js';

/** More heads than this are offered in a list. */
const maxSegments = 8;

/** The goal, whose numbers are shown, the steps, the layer and the head. */
export function createRail(store: Store<InsideState>, source: Source) {
  const goal = createGoal(words.goal.task);
  const prediction = createChoice<Guess | undefined>({
    label: words.goal.answer,
    values: guesses,
    nameOf: String,
    onChoose(step) {
      if (step === undefined) return;
      prediction.show(step);
      goal.show(words.goal.answers[step](source.pass.numHeads), step === 9);
    },
  });
  prediction.show(undefined);
  const input = createChoice<'small' | 'sentence'>({
    label: words.input,
    values: ['small', 'sentence'],
    nameOf: (name) => words.inputs[name],
    onChoose(name) {
      store.change({ input: name });
    },
  });
  const status = element('p.inside-status.soft.small');
  const buttons = element('div.buttons', { role: 'group', 'aria-label': words.step });
  const place = element('p.inside-place', { 'aria-hidden': 'true' });
  const go = (by: -1 | 1) => () => {
    const next = stepNumbers.find((each) => each === store.state.step + by);
    if (next !== undefined) store.change({ step: next });
  };
  const [back, on] = [go(-1), go(1)];
  const counted = (name: 'layer' | 'head', label: string) => {
    const onChoose = (chosen: number): void => store.change({ [name]: chosen });
    const segments = createChoice<number>({ label, nameOf: String, onChoose });
    const list = createSelect<number>({ label, nameOf: String, onChoose });
    const root = element('div', { class: `inside-${name}` }, segments.root, list.root);
    return {
      root,
      show(value: number, count: number): void {
        const values = range(1, count + 1);
        segments.root.hidden = count > maxSegments;
        list.root.hidden = count <= maxSegments;
        segments.show(value, count > maxSegments ? [] : values);
        list.show(value, values);
        root.hidden = count < 2;
      },
    };
  };
  const layer = counted('layer', words.layer);
  const head = counted('head', words.head);
  return {
    main: [
      goal.root,
      hideable('goal', element('div.inside-guess', prediction.root)),
      element('div.inside-go.stack.rail-pinned', buttons, place),
      element(
        'div.inside-steps.unseen-labels',
        boundChoice(store, 'step', words.step, (step) => `${step} ${words.steps[step]}`),
      ),
      hideable(
        'controls',
        element(
          'div.inside-settings.stack',
          element('div', input.root, status, languageModel().createNotice()),
          element('div.inside-places.stack', layer.root, head.root),
        ),
      ),
      goal.outcome,
    ],
    show(state: InsideState): void {
      const { pass, wantsModel } = source;
      // Not `disabled`: that would take the focus away from whoever has just pressed it.
      render(
        html`<button
            data-go="previous"
            aria-disabled=${state.step === 1 ? 'true' : nothing}
            @click=${back}
          >
            ${words.previous}
          </button>
          <button
            class="primary"
            data-go="next"
            aria-disabled=${state.step === 9 ? 'true' : nothing}
            @click=${on}
          >
            ${words.next}
          </button>`,
        buttons,
      );
      place.textContent = sayStep(state.step);
      input.show(wantsModel ? 'sentence' : 'small');
      setText(status, statusOf(source));
      status.dataset.state = source.state;
      layer.show(
        source.layer + 1,
        pass.isModel ? (languageModel().description?.numHeads.length ?? 1) : 1,
      );
      head.show(Math.min(state.head, pass.numHeads), pass.numHeads);
      head.root.querySelectorAll<HTMLElement>('.segment').forEach(withHeadColour);
    },
  };
}

function statusOf({ state, pass }: Source): string {
  switch (state) {
    case 'small':
      return words.small(formatBytes(builtInBytes));
    case 'loading':
      return sayLoading(languageModel().progress ?? { done: 0, total: 0 });
    case 'empty':
      return words.empty;
    case 'unknown':
      return words.unknown;
    case 'failed':
      return readingWords.notRead;
    case 'ready':
      return words.reads(pass.tokens.length, pass.hiddens);
  }
}
