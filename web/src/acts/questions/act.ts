import { hideableAct } from '../../address/hideable.js';
import type { Store } from '../../address/store.js';
import { createActLink } from '../../ui/act-link.js';
import { createPanelEnd } from '../../ui/controls/panel-end.js';
import { element, newId, paragraph } from '../../ui/dom.js';
import { evidenceOf } from './evidence.js';
import { viewOf, viewsOf } from './links.js';
import { groupNames, questionGroups, type QuestionName, type QuestionsState } from './state.js';
import { words } from './words.js';

/** All questions in groups; one answer is open at a time. */
export function createQuestionsContent(store: Store<QuestionsState>): HTMLElement[] {
  const entries: Entry[] = [];
  const groups = groupNames.map((name) => {
    const own = questionGroups[name].map((question) => createEntry(question, store));
    entries.push(...own);
    const heading = newId('questions');
    return element(
      'section',
      { class: 'question-group', 'aria-labelledby': heading },
      element('h3', { id: heading }, words.groups[name]),
      ...own.map(({ root }) => root),
    );
  });

  const show = ({ question }: QuestionsState): void => {
    for (const entry of entries) entry.show(entry.question === question);
  };
  store.subscribe((state, origin) => {
    show(state);
    if (origin === 'popstate') bringIntoView(entries);
  });
  show(store.state);
  const root = element('div', { class: 'question-groups' }, ...groups);
  // On paper all answers are read.
  window.addEventListener('beforeprint', () => {
    for (const entry of entries) entry.make();
  });
  whenPlaced(root, () => {
    bringIntoView(entries);
  });
  return [root, createPanelEnd(store, 'questions')];
}

interface Entry {
  readonly root: HTMLDetailsElement;
  readonly question: QuestionName;
  /** Makes the answer, if it has not been opened before. */
  make(): void;
  show(isOpen: boolean): void;
}

function createEntry(question: QuestionName, store: Store<QuestionsState>): Entry {
  const { question: asked, answer } = words.entries[question];
  const root = element(
    'details',
    { class: 'question-entry', 'data-question': question },
    element('summary', {}, asked),
  );
  let isMade = false;
  const make = (): void => {
    if (isMade) return;
    isMade = true;
    const evidence = evidenceOf(question);
    root.append(
      element(
        'div',
        { class: 'question-answer' },
        paragraph(answer),
        ...(evidence === undefined ? [] : [evidence]),
        createViews(question),
      ),
    );
  };
  root.addEventListener('toggle', () => {
    const isShown = store.state.question === question;
    if (root.open) make();
    if (root.open !== isShown) store.change({ question: root.open ? question : 'none' });
  });
  return {
    root,
    question,
    make,
    show(isOpen) {
      if (isOpen) make();
      root.open = isOpen;
    },
  };
}

function createViews(question: QuestionName): HTMLElement {
  return element(
    'div',
    { class: 'question-views' },
    element('p', {}, words.see),
    element(
      'ul',
      {},
      ...viewsOf[question].map((name) => {
        const view = viewOf(name);
        return hideableAct(view.act, element('li', {}, createActLink(view, words.views[name])));
      }),
    ),
  );
}

/** The open answer, if the address leads to the questions at all, and most of it would be out of view. */
function bringIntoView(entries: readonly Entry[]): void {
  const open = entries.find(({ root }) => root.open)?.root;
  if (open === undefined || window.location.hash !== '#questions') return;
  const { top } = open.getBoundingClientRect();
  if (top < 0 || top > window.innerHeight / 2) open.scrollIntoView();
}

/** Calls once, when an element has its place on the page. */
function whenPlaced(target: Element, act: () => void): void {
  const observer = new ResizeObserver(() => {
    // Browsers also tell of an element that is not in the page yet, while its style sheet loads.
    if (!target.isConnected) return;
    observer.disconnect();
    act();
  });
  observer.observe(target);
}
