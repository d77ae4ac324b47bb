import { max, min, range } from 'd3-array';

import { attend, type AttentionView } from '../../attention/attention-view.js';
import { weightColours } from '../../attention/colour.js';
import { chapterSizes, onesInput, randomInput } from '../../attention/input.js';
import { formatShort } from '../../format/numbers.js';
import { element, setAttributes, svg } from '../../ui/dom.js';
import { withHeadColour } from '../../ui/head-colour.js';
import { announce } from '../../ui/live-region.js';
import { words } from './experiments-words.js';
import { Lesson } from './lesson.js';
import { type Cause, causes, lessonRange, toySettings } from './state.js';
import { words as actWords } from './words.js';

export interface Experiments {
  readonly root: HTMLElement;
  /** Tries all three causes: at once, or one after the other for a reader who has just predicted one. */
  show(guess: Cause, isNew: boolean): void;
  /** Ends what is being played. */
  stop(): void;
}

/** What a card shows at one moment. */
interface Frame {
  readonly cause: Cause;
  readonly view: () => AttentionView;
  readonly note: string;
  /** Until the next one. */
  readonly milliseconds: number;
}

const settings = { ...toySettings, validLens: chapterSizes.lens };
const seeds = range(2, 7);
/** Each frame of the training is so many steps. */
const stepsAFrame = 2;

/** All three causes tried on the layer of ones: five maps each, and how far the heads differ. */
export function createExperiments(hatch: string): Experiments {
  const cards = new Map(causes.map((cause) => [cause, createCard(cause, hatch)]));
  const verdict = element('p', { class: 'experiments-verdict' });
  const button = element('button', { type: 'button' });
  const root = element(
    'section',
    { class: 'experiments', 'aria-label': words.label },
    element(
      'div',
      { class: 'experiments-cards' },
      ...Array.from(cards.values(), (card) => card.root),
    ),
    element('div', { class: 'experiments-end' }, verdict, button),
  );
  const frames = framesOf();
  let guess: Cause = 'keys';
  let timer: number | undefined;

  const draw = ({ cause, view, note }: Frame): void => {
    cards.get(cause)?.draw(view(), note);
  };
  /** The result of each cause. */
  function showEnd(): void {
    stop();
    const told = verdict.textContent;
    for (const cause of causes) {
      const last = frames.filter((frame) => frame.cause === cause).at(-1);
      if (last !== undefined) draw(last);
      cards.get(cause)?.show({ isGuess: cause === guess, isRunning: false, isOver: true });
    }
    const isRight = Number(cards.get(guess)?.difference) > 0;
    verdict.replaceChildren(
      element('strong', {}, words.verdict(actWords.causes[guess], isRight)),
      ' ',
      words.why,
    );
    button.textContent = words.again;
    if (verdict.textContent !== told) announce(verdict.textContent);
  }
  function play(): void {
    stop();
    const before = attend(onesInput(), settings);
    for (const [cause, card] of cards) {
      card.draw(before, words.before);
      card.show({ isGuess: cause === guess, isRunning: false, isOver: false });
    }
    verdict.textContent = '';
    button.textContent = words.skip;
    playFrom(0);
  }
  function playFrom(at: number): void {
    const frame = frames.at(at);
    if (frame === undefined) {
      showEnd();
      return;
    }
    draw(frame);
    const isLast = frames.at(at + 1)?.cause !== frame.cause;
    cards
      .get(frame.cause)
      ?.show({ isGuess: frame.cause === guess, isRunning: !isLast, isOver: isLast });
    timer = window.setTimeout(() => {
      playFrom(at + 1);
    }, frame.milliseconds);
  }
  function stop(): void {
    window.clearTimeout(timer);
    timer = undefined;
  }
  button.addEventListener('click', () => {
    if (timer === undefined) play();
    else showEnd();
  });
  return {
    root,
    stop,
    show(cause, isNew) {
      guess = cause;
      // The button that was pressed is gone.
      if (isNew) button.focus({ preventScroll: true });
      const wantsMotion = !window.matchMedia('(prefers-reduced-motion: reduce)').matches;
      if (isNew && wantsMotion) play();
      else showEnd();
    },
  };
}

/** One cause after the other, each from the layer as it is at first. */
function framesOf(): Frame[] {
  let lesson: Lesson | undefined;
  const trained = (steps: number): AttentionView => {
    lesson ??= new Lesson(onesInput(), settings);
    const view = attend({ ...onesInput(), parameters: lesson.after(steps).parameters }, settings);
    if (steps === lessonRange.max) {
      lesson.dispose();
      lesson = undefined;
    }
    return view;
  };
  const steps = range(stepsAFrame, lessonRange.max + 1, stepsAFrame);
  return [
    ...seeds.map((seed, i) => ({
      cause: 'parameters' as const,
      view: () => attend(onesInput(), { ...settings, seed }),
      note: words.seed(seed),
      milliseconds: i === seeds.length - 1 ? 900 : 350,
    })),
    {
      cause: 'keys',
      view: () => attend(randomInput(toySettings.seed), settings),
      note: words.random,
      milliseconds: 1400,
    },
    ...steps.map((step) => ({
      cause: 'training' as const,
      view: () => trained(step),
      note: words.step(step),
      milliseconds: step === lessonRange.max ? 900 : 70,
    })),
  ];
}

interface Standing {
  readonly isGuess: boolean;
  readonly isRunning: boolean;
  readonly isOver: boolean;
}

interface Card {
  readonly root: HTMLElement;
  /** The largest between any two heads' weights at one cell. */
  readonly difference: number;
  draw(view: AttentionView, note: string): void;
  show(standing: Standing): void;
}

/** One cause: the maps of the first sample side by side, and how far the heads of both samples differ. */
function createCard(cause: Cause, hatch: string): Card {
  const maps = range(toySettings.heads).map((head) => createSmallMap(head, hatch));
  const tag = element('span', { class: 'experiment-guess' });
  const note = element('span', { class: 'experiment-note' });
  const number = element('span', { class: 'experiment-number' });
  const root = element(
    'figure',
    { class: 'experiment', 'data-cause': cause },
    element(
      'figcaption',
      {},
      element('span', { class: 'experiment-name' }, actWords.causes[cause]),
      ' ',
      tag,
      note,
    ),
    element(
      'div',
      { class: 'experiment-maps', 'aria-hidden': 'true' },
      ...maps.map((map) => map.root),
    ),
    element('p', {}, `${words.difference} `, number),
  );
  let difference = NaN;
  return {
    root,
    get difference() {
      return difference;
    },
    draw(view, told) {
      for (const map of maps) map.draw(view);
      difference = largestDifference(view);
      note.textContent = told;
      number.textContent = difference === 0 ? '0' : formatShort(difference);
    },
    show({ isGuess, isRunning, isOver }) {
      tag.textContent = isGuess ? words.guess : '';
      setAttributes(root, {
        'data-guess': isGuess,
        'data-running': isRunning,
        'data-over': isOver,
        'data-difference': difference,
      });
    },
  };
}

/** Over all samples, queries and keys. */
function largestDifference({ weights }: AttentionView): number {
  const [batch = 0, heads = 0, queries = 0, keys = 0] = weights.shape;
  const spread = (sample: number, query: number, key: number): number => {
    const ofHeads = range(heads).map((head) => weights.at(sample, head, query, key));
    return (max(ofHeads) ?? NaN) - (min(ofHeads) ?? NaN);
  };
  const all = range(batch).flatMap((sample) =>
    range(queries).flatMap((query) => range(keys).map((key) => spread(sample, query, key))),
  );
  return max(all) ?? NaN;
}

function createSmallMap(
  head: number,
  hatch: string,
): { readonly root: SVGSVGElement; draw(view: AttentionView): void } {
  const { keys } = chapterSizes;
  const queries = 4;
  const cells = range(queries).map((query) =>
    range(keys).map((key) =>
      svg('rect', { x: 10 * key, y: 10 * query, width: 9, height: 9, rx: 1 }),
    ),
  );
  const root = svg(
    'svg',
    { class: 'experiment-map', viewBox: `0 0 ${10 * keys - 1} ${10 * queries - 1}` },
    ...cells.flat(),
  );
  return {
    root: withHeadColour(root, head),
    draw({ weights, isMasked }) {
      cells.forEach((row, query) => {
        row.forEach((cell, key) => {
          const fill = isMasked(0, query, key)
            ? hatch
            : weightColours(head).fill(weights.at(0, head, query, key));
          setAttributes(cell, { fill });
        });
      });
    },
  };
}
