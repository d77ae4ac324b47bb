import { range } from 'd3-array';

import { createActPanel } from '../controls/act-panel.js';
import { boundChoice } from '../controls/bound.js';
import { createNamedSlider } from '../controls/slider.js';
import { element } from '../dom.js';
import { createHeadFigure } from '../figure/head-figure.js';
import { formatFraction, formatLoss } from '../format.js';
import type { AttentionInput } from '../inputs/attention-input.js';
import { chapterSizes, onesInput, randomInput } from '../inputs/chapter.js';
import { attend, type AttentionView } from '../layer/attention-view.js';
import { Lesson, type Taught } from '../layer/lesson.js';
import type { Store } from '../state/store.js';
import { lessonRange, toyInputs, toySettings, type ToyState } from '../state/toy-state.js';
import { text } from '../text/index.js';
import { createFlow } from './flow.js';
import { createGoal } from './goal.js';

/** Part 1: the chapter's call, what came of it, and why. */
export function createToyContent(store: Store<ToyState>): HTMLElement[] {
  const goal = createGoal(text.toy.goal.task);
  const steps = createNamedSlider({
    label: text.toy.steps,
    range: lessonRange,
    describe: String,
    onSlide: (chosen, origin) => {
      store.change({ steps: chosen }, origin);
    },
  });
  const panel = createActPanel(store, {
    act: 'toy',
    label: text.toy.panel,
    controls: [
      boundChoice(store, 'input', {
        label: text.controls.input,
        values: toyInputs,
        nameOf: (name) => text.controls.inputs[name],
      }),
      steps.root,
    ],
  });
  const flow = element('div');
  const reason = element('p', { class: 'reason' });
  const lesson = element('p', { class: 'reason' });
  const figure = createHeadFigure({ label: text.toy.figure, name: text.toy.maps });
  const lessonOf = rememberLessons();
  const show = (state: ToyState): void => {
    steps.show(state.steps);
    const isTie = state.input === 'ones';
    const input = inputOf[state.input]();
    const taught = state.steps === 0 ? undefined : lessonOf(state.input, input).after(state.steps);
    const view = attend(taught ? { ...input, parameters: taught.parameters } : input, settings);
    flow.replaceChildren(createFlow(view));
    reason.replaceChildren(...(isTie ? reasonOf(view) : [text.toy.broken]));
    // More than the input has changed then.
    reason.hidden = !isTie && taught !== undefined;
    lesson.textContent = taught ? lessonTold(taught, state) : '';
    lesson.hidden = taught === undefined;
    figure.draw(view);
    goal.show(isTie ? '' : text.toy.goal.reached, !isTie);
  };
  store.subscribe(show);
  show(store.state);
  return [goal.root, panel, flow, reason, lesson, figure.root];
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

function lessonTold({ losses }: Taught, { input, steps }: ToyState): string {
  const { taught, outcome } = text.toy;
  return `${taught(steps, formatLoss(losses.first), formatLoss(losses.now))} ${outcome[input]}`;
}

function reasonOf({ weights }: AttentionView): (string | HTMLElement)[] {
  const [batch = 0, heads = 0] = weights.shape;
  const shares = range(batch).map((sample) =>
    text.toy.share(formatFraction(weights.at(sample, 0, 0, 0)), sample + 1),
  );
  return [element('strong', {}, text.toy.conclusion(heads)), ' ', text.toy.reason(shares)];
}
