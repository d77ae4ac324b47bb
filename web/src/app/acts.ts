import { createAlignStore } from '../acts/align/state.js';
import { intro as alignIntro } from '../acts/align/intro.js';
import { intro as figureIntro } from '../acts/figure/intro.js';
import { createFigureStore } from '../acts/figure/state.js';
import { intro as headsIntro } from '../acts/heads/intro.js';
import { createHeadsStore } from '../acts/heads/state.js';
import { intro as pruneIntro } from '../acts/prune/intro.js';
import { createPruneStore } from '../acts/prune/state.js';
import { createToyContent } from '../acts/toy/act.js';
import { intro as toyIntro } from '../acts/toy/intro.js';
import { toyFields } from '../acts/toy/state.js';
import { intro as questionsIntro } from '../acts/questions/intro.js';
import { questionsFields } from '../acts/questions/state.js';
import { intro as trainIntro } from '../acts/train/intro.js';
import { trainFields } from '../acts/train/state.js';
import { intro as whyIntro } from '../acts/why/intro.js';
import { createWhyStore } from '../acts/why/state.js';
import { intro as wordsIntro } from '../acts/words/intro.js';
import { wordsFields } from '../acts/words/state.js';
import type { HideableName } from '../address/hideable.js';
import { type Addressed, Store } from '../address/store.js';

/** What the page says of an act before its code is loaded. */
export interface ActIntro {
  readonly title: string;
  /** A sentence or two above the stage. */
  readonly lead: string;
  /** What there is to read below it. */
  readonly paragraphs: readonly string[];
}

export interface ActDescription {
  /** Its address, and what hides it. */
  readonly id: HideableName;
  readonly intro: ActIntro;
  /** An index, which is not read in the order of the acts and has no number. */
  readonly isIndex?: boolean;
  readonly open: () => OpenAct;
}

/** An act with its state. */
export interface OpenAct {
  readonly store: Addressed;
  /** Its content: at once, or once its code is loaded, for which the page waits until the reader comes near. */
  readonly content: { readonly now: () => Node[] } | { readonly later: () => Promise<Node[]> };
}

type Create<State extends object> = (store: Store<State>) => Node[];

/** An act whose code comes with the page. */
function withPage<State extends object>(
  id: HideableName,
  intro: ActIntro,
  createStore: () => Store<State>,
  create: Create<State>,
): ActDescription {
  const open = (): OpenAct => {
    const store = createStore();
    return { store, content: { now: () => create(store) } };
  };
  return { id, intro, open };
}

/** An act whose code is loaded when the reader comes near. */
function whenNear<State extends object>(
  id: HideableName,
  intro: ActIntro,
  createStore: () => Store<State>,
  load: () => Promise<Create<State>>,
): ActDescription {
  const open = (): OpenAct => {
    const store = createStore();
    return { store, content: { later: async () => (await load())(store) } };
  };
  return { id, intro, open };
}

/** All acts, in the order in which they are read. */
export const acts: readonly ActDescription[] = [
  withPage('toy', toyIntro, () => new Store(toyFields), createToyContent),
  whenNear(
    'figure',
    figureIntro,
    createFigureStore,
    async () => (await import('../acts/figure/act.js')).createFigureContent,
  ),
  whenNear(
    'heads',
    headsIntro,
    createHeadsStore,
    async () => (await import('../acts/heads/act.js')).createHeadsContent,
  ),
  whenNear(
    'why',
    whyIntro,
    createWhyStore,
    async () => (await import('../acts/why/act.js')).createWhyContent,
  ),
  whenNear(
    'train',
    trainIntro,
    () => new Store(trainFields),
    async () => (await import('../acts/train/act.js')).createTrainContent,
  ),
  whenNear(
    'prune',
    pruneIntro,
    createPruneStore,
    async () => (await import('../acts/prune/act.js')).createPruneContent,
  ),
  whenNear(
    'words',
    wordsIntro,
    () => new Store(wordsFields),
    async () => (await import('../acts/words/act.js')).createWordsContent,
  ),
  whenNear(
    'align',
    alignIntro,
    createAlignStore,
    async () => (await import('../acts/align/act.js')).createAlignContent,
  ),
  {
    ...whenNear(
      'questions',
      questionsIntro,
      () => new Store(questionsFields),
      async () => (await import('../acts/questions/act.js')).createQuestionsContent,
    ),
    isIndex: true,
  },
];
