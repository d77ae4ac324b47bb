import { greatest } from 'd3-array';

import { hideable } from '../../address/hideable.js';
import type { Origin, Store } from '../../address/store.js';
import { shapedWeights } from '../../attention/shaped-weights.js';
import { formatBytes } from '../../format/numbers.js';
import { cutTo, joinSentences } from '../../format/sentences.js';
import { createPanelEnd } from '../../ui/controls/panel-end.js';
import { createTextArea } from '../../ui/controls/text-area.js';
import { element, setAttributes } from '../../ui/dom.js';
import { composeDrawings } from '../../ui/export/drawing.js';
import { createGoalApart } from '../../ui/goal.js';
import { oncePerFrame } from '../../ui/once-per-frame.js';
import { createStage } from '../../ui/stage.js';
import { words as checkpointWords } from '../../worker/checkpoint-words.js';
import { Connection } from '../../worker/connection.js';
import { sameHead } from '../../worker/heads.js';
import { createWorkerNotice } from '../../worker/notice.js';
import { createBoard } from './board.js';
import { createCandidates, visibleNext } from './candidates.js';
import { createCheckpointPanel } from './checkpoint-panel.js';
import { Reader } from './reader.js';
import { createSelectedHead } from './selected-head.js';
import { maxCharacters, type WordsState } from './state.js';
import { createStudy, shutHere } from './study.js';
import { words } from './words.js';

/** While someone types, a text is read after so many milliseconds without another letter. */
const typingPauseMs = 150;

/** A trained model reads what is typed, and each of its heads can be shut. */
export function createWordsContent(store: Store<WordsState>): HTMLElement[] {
  const notice = createWorkerNotice(() => {
    connection.giveUp();
    notice.clear();
    void reader.begin();
  });
  const connection = new Connection(notice.showSlow);
  const drawSoon = oncePerFrame(draw);
  const reader = new Reader(connection, { onChange: drawSoon, onFailure: notice.showFailure });

  const goal = createGoalApart(words.goalTask);
  const status = element('p', { class: 'words-status' });
  const text = createTextArea({
    label: words.text,
    hint: words.textHint,
    rows: 3,
    onWrite(written, origin) {
      store.change({ text: cutTo(written, maxCharacters) }, origin);
      return written.length > maxCharacters ? words.textCut(maxCharacters) : '';
    },
  });
  const openAll = element('button', { type: 'button' }, words.openAll);
  openAll.addEventListener('click', () => {
    store.change({ shut: [] });
  });
  const board = createBoard({
    onSelect(selected) {
      store.change({ selected });
    },
    onGate(head) {
      const { shut } = store.state;
      const others = shut.filter((each) => !sameHead(each, head));
      store.change({ shut: others.length < shut.length ? others : [...shut, head] });
    },
  });
  const candidates = createCandidates();
  const selected = createSelectedHead(store);
  const study = createStudy(store, reader);
  const checkpoint = createCheckpointPanel(reader);
  const figures = element(
    'div',
    { class: 'words-figures' },
    element(
      'div',
      { class: 'words-board' },
      board.root,
      element('p', { class: 'note' }, words.boardNote),
    ),
    element(
      'div',
      { class: 'words-side' },
      candidates.root,
      selected.root,
      hideable('controls', study.root),
    ),
  );

  function draw(): void {
    const { model, run, importance } = reader;
    const { state } = store;
    const shut = shutHere(state.shut, model?.numHeads);
    status.textContent = statusOf(reader, shut.length);
    setAttributes(status, {
      'data-state': reader.state,
      'data-tokens': run?.tokens.length ?? 0,
      'data-shut': shut.length,
    });
    setAttributes(openAll, { 'aria-disabled': state.shut.length === 0 ? 'true' : undefined });
    setAttributes(figures, { 'data-waiting': run === undefined });
    study.draw();
    checkpoint.draw();
    if (model === undefined || run === undefined) return;
    board.draw({ model, run, selected: state.selected, shut, importance });
    candidates.draw(run.candidates, model.isCausal);
    selected.draw(model, run);
    const now = greatest(run.candidates, ({ probability }) => probability);
    const before = greatest(run.candidates, (each) => each.before);
    const isChanged = now !== undefined && before !== undefined && now !== before;
    const numShut = shutHere(reader.runShut, model.numHeads).length;
    if (isChanged && numShut > 0) {
      goal.show(
        words.goalReached(numShut, visibleNext(now.token), visibleNext(before.token)),
        true,
      );
    }
  }

  let timer: number | undefined;
  let asked = '';
  function ask(origin: Origin | undefined): void {
    const { text, shut } = store.state;
    // What else changes, such as the selection, is drawn from what has been read.
    const wish = JSON.stringify([text, shut]);
    if (wish === asked) return;
    asked = wish;
    window.clearTimeout(timer);
    const show = (): void => {
      reader.show({ text, shut });
      drawSoon();
    };
    if (origin === 'replace') timer = window.setTimeout(show, typingPauseMs);
    else show();
  }
  store.subscribe((state, origin) => {
    text.show(state.text);
    ask(origin);
    drawSoon();
  });
  text.show(store.state.text);
  ask(undefined);
  void reader.begin();
  draw();

  return [
    createStage({
      label: words.panel,
      rail: [
        goal.root,
        hideable('controls', element('div', { class: 'words-controls' }, text.root, openAll)),
        goal.outcome,
        notice.root,
        status,
      ],
      end: createPanelEnd(store, 'words', [
        {
          name: words.exportNames.board,
          figure: () => composeDrawings(board.drawings()),
          data: () =>
            reader.run && {
              shut: reader.runShut,
              ...reader.run,
              weights: shapedWeights(reader.run.weights, reader.run.tokens.length),
            },
        },
        selected.savable,
      ]),
      more: { label: words.more, content: [checkpoint.root] },
      views: [figures],
    }),
  ];
}

function statusOf({ state, progress, model, run, problem, isOwn }: Reader, shut: number): string {
  if (state === 'loading') {
    if (isOwn) return words.opening;
    return progress === undefined
      ? words.loading
      : words.loaded(formatBytes(progress.done), formatBytes(progress.total));
  }
  if (problem !== '') return problem;
  if (model === undefined || state === 'failed') return '';
  if (run === undefined) return words.textEmpty;
  const { name, numHeads, maxTokens } = model;
  const total = numHeads.reduce((sum, heads) => sum + heads, 0);
  return joinSentences([
    words.model(name ?? checkpointWords.builtInModel, numHeads.length, total),
    words.tokens(run.tokens.length, maxTokens, run.isCut),
    words.shutNow(shut),
  ]);
}
