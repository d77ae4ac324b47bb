import { max, range } from 'd3-array';
import { html, render } from 'lit-html';

import { hideable } from '../../address/hideable.js';
import type { Store } from '../../address/store.js';
import { formatSetting, formatShort } from '../../format/numbers.js';
import { boundChoice, createSelect } from '../../ui/controls/choice.js';
import { createSlider } from '../../ui/controls/slider.js';
import { element, setAttributes } from '../../ui/dom.js';
import { withHeadColour } from '../../ui/head-colour.js';
import { createGoalApart } from '../../ui/goal.js';
import { uniform } from './dimensions.js';
import type { Weighed } from './layer.js';
import { headSizes, largestDivisor, numTokens, numWhyHeads, type WhyState } from './state.js';
import { words } from './words.js';

interface Rail {
  readonly main: readonly HTMLElement[];
  show(state: WhyState, weighed: Weighed): void;
}

/** In doublings of the divisor, so that √d stands midway between 1 and d. */
const octaves = { min: 0, max: Math.log2(largestDivisor(64)), step: 1 / 16 } as const;
const divisorAt = (octave: number): number => Math.round(100 * 2 ** octave) / 100;

/** The goal, the divisor and what comes of it, and the query that is looked at. */
export function createRail(store: Store<WhyState>): Rail {
  const goal = createDeviationGoal();
  let told = '';
  const slider = createSlider({
    label: words.divisor,
    range: octaves,
    describe: () => told,
    onSlide: (octave, origin) => {
      store.change({ divisor: divisorAt(octave) }, origin);
    },
  });
  const value = element('span', { class: 'why-divisor-value' });
  const marks = createMarks((divisor) => {
    store.change({ divisor });
  });
  const readings = element('dl', { class: 'why-readings' });
  const head = boundChoice(store, 'head', {
    label: words.head,
    values: range(1, numWhyHeads + 1),
    nameOf: String,
  });
  head.classList.add('why-heads');
  head.querySelectorAll<HTMLElement>('.segment').forEach(withHeadColour);

  return {
    main: [
      element(
        'div',
        { class: 'rail-pinned' },
        goal.root,
        element(
          'div',
          { class: 'why-divisor' },
          element(
            'p',
            { class: 'why-divisor-name', 'aria-hidden': 'true' },
            element('span', { class: 'control-label' }, words.divisor),
            value,
          ),
          slider.root,
          marks.root,
          readings,
        ),
      ),
      hideable(
        'controls',
        element(
          'div',
          { class: 'why-settings' },
          boundChoice(store, 'd', { label: words.d, values: headSizes, nameOf: String }),
          head,
          boundChoice<WhyState, 'query'>(store, 'query', {
            label: words.query,
            values: range(1, numTokens + 1),
            nameOf: (query) => words.queryName(query, words.tokens[query - 1] ?? ''),
            as: createSelect,
          }),
        ),
      ),
      goal.outcome,
    ],
    show(state, weighed) {
      const { d, divisor } = state;
      const shown = formatSetting(divisor);
      const weight = formatShort(max(weighed.weights) ?? NaN);
      const entropy = formatShort(weighed.entropy);
      told = words.divisorValue(shown, weight, entropy);
      slider.show(Math.log2(divisor), Math.log2(largestDivisor(d)));
      value.textContent = shown;
      marks.show(d, divisor);
      render(
        [
          ['weight', words.largest, weight, ''],
          ['entropy', words.entropy, entropy, words.ofAtMost(formatShort(uniform.entropy))],
          ['deviation', words.deviation, formatShort(weighed.deviation), ''],
        ].map(
          ([name, label, reading, most]) =>
            html`<div data-reading=${name}>
              <dt>${label}</dt>
              <dd>${reading} <span class="why-most">${most}</span></dd>
            </div>`,
        ),
        readings,
      );
      goal.show(d, divisor, weighed.deviation);
    },
  };
}

/** Buttons below the slider, each where its divisor is: 1, √d and d. */
function createMarks(onChoose: (divisor: number) => void) {
  const marks = [
    { of: () => 1, name: words.mark.none },
    { of: Math.sqrt, name: words.mark.root },
    { of: (d: number) => d, name: words.mark.size },
  ].map(({ of, name }) => {
    const button = element('button', { type: 'button' });
    let divisor = 1;
    button.addEventListener('click', () => {
      onChoose(divisor);
    });
    const show = (d: number, shown: number): void => {
      divisor = of(d);
      const share = Math.log2(divisor) / Math.log2(largestDivisor(d));
      button.style.setProperty('--at', String(share));
      button.textContent = name(String(divisor));
      setAttributes(button, { 'aria-pressed': shown === divisor ? 'true' : 'false' });
    };
    return { button, show };
  });
  return {
    root: element(
      'div',
      { class: 'why-marks', role: 'group', 'aria-label': words.marks },
      ...marks.map(({ button }) => button),
    ),
    show(d: number, shown: number): void {
      for (const mark of marks) mark.show(d, shown);
    },
  };
}

/** Reached with the divisors of two values of d. */
function createDeviationGoal() {
  const goal = createGoalApart(words.goal.task);
  const found = new Map<number, string>();
  return {
    root: goal.root,
    outcome: goal.outcome,
    show(d: number, divisor: number, deviation: number): void {
      if (deviation >= 0.9 && deviation <= 1.1) found.set(d, formatSetting(divisor));
      const sorted = [...found].sort(([a], [b]) => a - b);
      const [first, second] = [sorted.at(0), sorted.at(1)];
      if (first === undefined) return;
      if (second === undefined) goal.show(words.goal.first(...first));
      else goal.show(words.goal.reached(...first, ...second), true);
    },
  };
}
