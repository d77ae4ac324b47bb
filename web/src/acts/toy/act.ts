import { range } from 'd3-array';
import { html, render, type TemplateResult } from 'lit-html';

import type { Store } from '../../address/store.js';
import { attend, type AttentionView } from '../../attention/attention-view.js';
import { createHeadFigure } from '../../attention/head-figure.js';
import {
  type AttentionInput,
  chapterSizes,
  onesInput,
  randomInput,
} from '../../attention/input.js';
import { formatFraction, formatLoss, formatShape } from '../../format/numbers.js';
import { hideable } from '../../address/hideable.js';
import { createPanelEnd } from '../../ui/controls/panel-end.js';
import { boundChoice } from '../../ui/controls/choice.js';
import { createNamedSlider } from '../../ui/controls/slider.js';
import { element, setAttributes } from '../../ui/dom.js';
import { createGoal } from '../../ui/goal.js';
import { createStage } from '../../ui/stage.js';
import { Lesson, type TrainedLayer } from './lesson.js';
import { createAnswer, createQuestion } from './question.js';
import { lessonRange, toyInputs, toySettings, type ToyState } from './state.js';
import { words } from './words.js';

/** The chapter's call, what came of it, and why. */
export function createToyContent(store: Store<ToyState>): HTMLElement[] {
  const goal = createGoal(words.goal.task);
  const steps = createNamedSlider({
    label: words.steps,
    range: lessonRange,
    describe: String,
    onSlide: (chosen, origin) => {
      store.change({ steps: chosen }, origin);
    },
  });
  const controls = element(
    'div',
    { class: 'controls' },
    boundChoice(store, 'input', {
      label: words.input,
      values: toyInputs,
      nameOf: (name) => words.inputs[name],
    }),
    steps.root,
  );
  const flow = element('div');
  const reason = element('p', { class: 'reason' });
  const lesson = element('p', { class: 'reason' });
  const figure = createHeadFigure({ label: words.figure, name: words.maps });
  const question = createQuestion(store, controls);
  let { guess } = store.state;
  let mayChange = false;
  const lessonOf = rememberLessons();
  const show = (state: ToyState): void => {
    // Once there, the controls stay, also for a reader whom a link led past the question; only a
    // prediction that is taken back brings it again.
    if (state.guess !== guess) mayChange = false;
    guess = state.guess;
    mayChange ||= guess !== 'open' || state.input !== 'ones' || state.steps > 0;
    question.hidden = mayChange;
    controls.hidden = !mayChange;
    steps.show(state.steps);
    const isTie = state.input === 'ones';
    const input = inputOf[state.input]();
    const taught = state.steps === 0 ? undefined : lessonOf(state.input, input).after(state.steps);
    const view = attend(taught ? { ...input, parameters: taught.parameters } : input, settings);
    render(flowOf(view), flow);
    render(isTie ? reasonOf(view) : words.broken, reason);
    // More than the input has changed then.
    reason.hidden = !mayChange || (!isTie && taught !== undefined);
    lesson.textContent = taught ? lessonMessage(taught, state) : '';
    lesson.hidden = taught === undefined;
    const { first, now } = taught?.losses ?? {};
    setAttributes(lesson, { 'data-first-loss': first, 'data-loss': now });
    figure.draw(view);
    goal.show(isTie ? '' : words.goal.reached, !isTie);
  };
  store.subscribe(show);
  show(store.state);
  return [
    createStage({
      label: words.panel,
      rail: [
        element(
          'div',
          { class: 'rail-pinned' },
          goal.root,
          hideable('controls', element('div', {}, question, controls)),
        ),
        reason,
        lesson,
      ],
      end: createPanelEnd(store, 'toy', [figure.savable]),
      views: [createAnswer(store, figure.hatch), figure.root, flow],
    }),
  ];
}

const settings = { ...toySettings, validLens: chapterSizes.lens };

const inputOf = { ones: onesInput, random: () => randomInput(toySettings.seed) } as const;

/** The lesson of an input: the last one, if it is that, so that a slider on its way begins no new one. */
function rememberLessons(): (name: ToyState['input'], input: AttentionInput) => Lesson {
  let last: { readonly name: ToyState['input']; readonly lesson: Lesson } | undefined;
  return (name, input) => {
    if (last?.name !== name) {
      last?.lesson.dispose();
      last = { name, lesson: new Lesson(input, settings) };
    }
    return last.lesson;
  };
}

function lessonMessage({ losses }: TrainedLayer, { input, steps }: ToyState): string {
  const { taught, outcome } = words;
  return `${taught(steps, formatLoss(losses.first), formatLoss(losses.now))} ${outcome[input]}`;
}

function reasonOf({ weights }: AttentionView): TemplateResult {
  const [batch = 0, heads = 0] = weights.shape;
  const shares = range(batch).map((sample) =>
    words.share(formatFraction(weights.at(sample, 0, 0, 0)), sample + 1),
  );
  return html`<strong>${words.conclusion(heads)}</strong> ${words.reason(shares)}`;
}

/** Inputs and output of the layer with their actual shapes. */
function flowOf({ input, weights, output, validLens }: AttentionView): TemplateResult {
  const { label, queries, keys, axes, perSample, headSize, ...names } = words.flow;
  const [, heads = 0] = weights.shape;
  const [, , hiddens = 0] = output.shape;
  const step = (name: string, value: string, note: string, kind = ''): TemplateResult =>
    html`<div class="flow-step ${kind}">
      <dt>${name}</dt>
      <dd class="flow-value">${value}</dd>
      <dd class="flow-note">${note}</dd>
    </div>`;
  return html`<dl class="flow" aria-label=${label}>
    ${step(queries, formatShape(input.queries.shape), axes)}
    ${step(keys, formatShape(input.keys.shape), axes)}
    ${step(names.validLens, formatShape(validLens), perSample)}
    ${step(names.heads, String(heads), headSize(hiddens / heads))}
    ${step(names.output, formatShape(output.shape), axes, 'flow-output')}
  </dl>`;
}
