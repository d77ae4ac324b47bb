import { max, range } from 'd3-array';
import { html, render } from 'lit-html';

import { hideable } from '../../address/hideable.js';
import type { Store } from '../../address/store.js';
import { formatShort } from '../../format/numbers.js';
import { joinSentences } from '../../format/sentences.js';
import { createChoice } from '../../ui/controls/choice.js';
import { element, setAttributes, withHeadColour } from '../../ui/dom.js';
import { say } from '../../ui/live-region.js';
import { type Cause, causes, type KeysState, questions, shares, validLenOf } from './state.js';
import type { HeadSummary } from './pass.js';
import { nameOfPattern, words } from './words.js';

type Summaries = readonly (HeadSummary | undefined)[];

/** Where each question begins. */
const starts = {
  keys: { input: 'ones', seed: 1 },
  mask: { input: 'random' },
  patterns: { input: 'patterns' },
} as const satisfies Record<KeysState['question'], Partial<KeysState>>;

/**
 * The questions of the act, one at a time. The reader predicts, then tests the prediction with the controls. The card
 * keeps its size, so that no control moves when an answer comes.
 */
export function createPredict(store: Store<KeysState>) {
  const asked = element('p.predict-question');
  const options = element('div.predict-options.buttons', { role: 'group' });
  const told = element('p.predict-told');
  const choice = createChoice({
    label: words.predict.label,
    values: questions,
    nameOf: (question) => words.predict.names[question],
    onChoose: (question) => {
      const plain = { validLen: undefined, causal: false, steps: 0, answer: 0, names: false };
      store.change({ question, ...plain, ...starts[question] });
    },
  });
  /** How far the heads differed after each cause. */
  const tried = new Map<Cause, number>();
  let isMaskTried = false;

  /** A question with a few answers to choose from. */
  function asking<Name extends string>(given: {
    readonly question: 'keys' | 'mask';
    readonly answers: readonly Name[];
    readonly names: Readonly<Record<Name, string>>;
    readonly guess: 'open' | Name;
    readonly right: NoInfer<Name>;
    readonly isReached: boolean;
    readonly onChoose: (answer: Name) => void;
    /** What a test of the answer has shown. */
    readonly resultOf?: (answer: Name) => string;
  }) {
    const { question, answers, names, guess, right, isReached, onChoose, resultOf } = given;
    const verdict = guess === 'open' ? '' : words.predict.verdict(names[guess], guess === right);
    return {
      options: html`${answers.map(
        (answer) =>
          html`<button
            class="predict-option"
            data-option=${answer}
            aria-pressed=${String(answer === guess)}
            @click=${() => onChoose(answer)}
          >
            <span>${names[answer]}</span>
            <span class="predict-result soft small">${resultOf?.(answer)}</span>
          </button>`,
      )}`,
      told: isReached
        ? joinSentences([verdict, words.predict.reached[question]])
        : words.predict.open[question],
      isReached,
    };
  }

  const standings = {
    keys: ({ guess }: KeysState) =>
      asking({
        ...{ question: 'keys', answers: causes, names: words.predict.causes, guess },
        right: 'keys',
        isReached: tried.has('keys'),
        onChoose: (chosen) => store.change({ guess: chosen }),
        resultOf: (cause) => {
          const difference = tried.get(cause);
          return difference === undefined ? '' : words.predict.difference(shortened(difference));
        },
      }),
    mask: ({ maskGuess }: KeysState) =>
      asking({
        ...{ question: 'mask', answers: shares, names: words.predict.shares, guess: maskGuess },
        right: 'one',
        isReached: isMaskTried,
        onChoose: (chosen) => store.change({ maskGuess: chosen }),
      }),
    patterns({ heads, answer }: KeysState, summaries: Summaries) {
      const isReached = isFound(summaries, answer);
      return {
        options: html`${range(1, heads + 1).map(
          (head) =>
            html`<button
              class="predict-head"
              data-option=${head}
              aria-pressed=${String(head === answer)}
              aria-label=${words.predict.head(head)}
              @click=${() => store.change({ input: 'patterns', answer: head, head })}
              .textContent=${String(head)}
            ></button>`,
        )}`,
        told: answer === 0 ? words.predict.open.patterns : outcomeOf(summaries, answer, isReached),
        isReached,
      };
    },
  };

  const root = hideable(
    'goal',
    element('section.goal.predict.unseen-labels.stack', choice.root, asked, options, told),
  );
  return {
    root,
    /** @param difference the largest between two heads' weights at the same cell */
    show(state: KeysState, summaries: Summaries, difference: number): void {
      const cause = causeIn(state, difference);
      if (cause !== undefined) tried.set(cause, difference);
      isMaskTried ||= validLenOf(state) === 1 && state.question === 'mask';
      const { question } = state;
      choice.show(question);
      const standing = standings[question](state, summaries);
      asked.textContent = words.predict.questions[question];
      setAttributes(options, { 'aria-label': words.predict.questions[question] });
      render(standing.options, options);
      options.querySelectorAll<HTMLElement>('.predict-head').forEach(withHeadColour);
      say(told, standing.told);
      setAttributes(root, { 'data-question': question, 'data-reached': standing.isReached });
    },
  };
}

/** Whether the marked head looks three back: by its weights, not by what was planted. */
export const isFound = (summaries: Summaries, answer: number): boolean =>
  summaries[answer - 1]?.pattern === 'copy';

/** What a state tests about equal keys, if anything: causes change one at a time. */
function causeIn({ input, seed, steps }: KeysState, difference: number): Cause | undefined {
  if (input !== 'ones') return difference > 0 ? 'keys' : undefined;
  if (steps > 0) return 'training';
  return seed === 1 ? undefined : 'parameters';
}

/** `0` only if it is. */
export const shortened = (difference: number): string =>
  difference === 0 ? '0' : formatShort(difference);

function outcomeOf(summaries: Summaries, answer: number, isReached: boolean): string {
  const { onCopy = 0, pattern = 'mixed', weight = 0 } = summaries[answer - 1] ?? {};
  const others = summaries.filter((_summary, head) => head !== answer - 1);
  const elsewhere = max(others, (other) => other?.onCopy) ?? 0;
  if (isReached) return words.predict.found(formatShort(onCopy), formatShort(elsewhere));
  const has = pattern === 'mixed' || pattern === 'even' ? '' : ` (${formatShort(weight)})`;
  return words.predict.missed(formatShort(onCopy), nameOfPattern(pattern) + has);
}
