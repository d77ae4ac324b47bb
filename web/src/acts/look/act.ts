import { greatest } from 'd3-array';

import { hideable } from '../../address/hideable.js';
import type { Store } from '../../address/store.js';
import { shapedWeights } from '../../attention/heads-element.js';
import { joinSentences } from '../../format/sentences.js';
import { languageModel } from '../../reading/model.js';
import { sentence } from '../../reading/sentence.js';
import { createSentenceField, sayLoading } from '../../reading/sentence-field.js';
import { whenSeen } from '../../ui/act.js';
import { createPanelEnd } from '../../ui/controls/panel-end.js';
import { element, setAttributes, setText } from '../../ui/dom.js';
import { composeDrawings } from '../../ui/export/drawing.js';
import { createGoal } from '../../ui/goal.js';
import { createNotices } from '../../ui/notices.js';
import { oncePerFrame } from '../../ui/frames.js';
import { createStage } from '../../ui/stage.js';
import { words as checkpointWords } from '../../worker/checkpoint-error.js';
import { type Head, nameOfHead, sameHead } from '../../worker/heads.js';
import { createBoard } from './board.js';
import { createDetail } from './detail.js';
import { describe, followModel } from './first/first-screen.js';
import { words as firstWords } from './first/words.js';
import { createModelOpener } from './open-model.js';
import { createPredictions } from './predictions.js';
import { Reader } from './reader.js';
import { fitTo, type LookState, selectedName, shutName, writeSelected } from './state.js';
import { visible, visibleNext } from '../../reading/tokens.js';
import { words } from './words.js';

/** Every head of the model on the reader's sentence: its weights, its gate, and what it does to the predictions. */
export function createLookContent(store: Store<LookState>): HTMLElement[] {
  const model = languageModel();
  followModel();
  const drawSoon = oncePerFrame(draw);
  const reader = new Reader(model, drawSoon);

  const goal = createGoal(words.goalTask);
  const corrections = createNotices();
  const status = element('p.look-status.two-lines.soft');
  const field = createSentenceField();
  const openAll = element('button', words.openAll);
  openAll.addEventListener('click', () => store.change({ shut: [] }));
  const toggle = (head: Head): void => {
    const { shut } = store.state;
    const others = shut.filter((each) => !sameHead(each, head));
    store.change({ shut: others.length < shut.length ? others : [...shut, head] });
  };
  const board = createBoard({
    onSelect(selected) {
      store.change({ selected });
    },
    onGate: toggle,
  });
  const predictions = createPredictions();
  const detail = createDetail(store, toggle);
  const figures = element(
    'div.look-figures',
    element(
      'div.look-board',
      element('h3', words.boardTitle),
      board.root,
      element('p.note', words.boardNote),
    ),
    element('div.look-side.stack', predictions.root, detail.root),
  );

  /** Says which heads of the address the model lacks, and leaves them out. */
  function correct(): void {
    const { description } = model;
    if (description === undefined) return;
    const { numHeads } = description;
    const fitting = fitTo(store.state, numHeads);
    const lost = store.state.shut.filter((each) => !fitting.shut.includes(each));
    const asked = writeSelected(store.state.selected);
    const given = [
      ...(asked === writeSelected(fitting.selected) ? [] : [`${selectedName}=${asked}`]),
      ...(lost.length === 0 ? [] : [`${shutName}=${lost.map(nameOfHead).join()}`]),
    ];
    store.change(fitting, 'replace');
    if (given.length > 0) corrections.show([words.noSuchHead(given, numHeads)]);
  }

  let goalOf: unknown;
  function draw(): void {
    const { description, isOwn, progress } = model;
    const { run, read } = reader;
    const { state } = store;
    const text = sentence.state.text.trim();
    const isRead = description !== undefined && read?.text === sentence.state.text;
    const ready = description && [
      words.model(description.name ?? checkpointWords.builtInModel, description.numHeads),
      words.shutNow(state.shut.length),
    ];
    const waiting = progress === undefined ? words.waits : sayLoading(progress);
    setText(status, ready === undefined ? waiting : joinSentences(ready));
    setAttributes(status, {
      'data-state': description === undefined ? 'loading' : 'ready',
      'data-model': isOwn ? 'own' : 'built-in',
      'data-tokens': text === '' ? 0 : (run?.tokens.length ?? 0),
      'data-omitted': run?.omittedWords ?? 0,
      'data-shut': state.shut.length,
    });
    field.tell(
      text === ''
        ? firstWords.textEmpty
        : reader.problem !== ''
          ? reader.problem
          : isRead && run !== undefined
            ? describe(run)
            : '',
    );
    setAttributes(openAll, { 'aria-disabled': state.shut.length === 0 ? 'true' : undefined });
    setAttributes(figures, { 'data-waiting': run === undefined });
    if (description === undefined || run === undefined || read === undefined) return;
    const { selected, shut } = fitTo(state, description.numHeads);
    // A model that has just come has not read the sentence yet.
    if (run.weights.length !== description.numHeads.length) return;
    board.draw({ model: description, run, selected, shut });
    const position = Math.min(read.position ?? Infinity, run.tokens.length - 1);
    predictions.draw({
      isCausal: description.isCausal,
      token: visible(run.tokens[position] ?? ''),
      candidates: run.candidates,
      numLayers: description.numHeads.length,
      lens: reader.lens,
    });
    detail.draw(run, selected, shut);
    const now = greatest(run.candidates, ({ probability }) => probability);
    const before = greatest(run.candidates, (each) => each.before);
    if (now === undefined || before === undefined || now === before || read.shut.length === 0)
      return;
    if (goalOf === run) return;
    goalOf = run;
    goal.show(
      words.goalReached(read.shut.length, visibleNext(now.token), visibleNext(before.token)),
      true,
    );
  }

  let asked = '';
  function ask(): void {
    const { shut, query } = store.state;
    const { text } = sentence.state;
    const wish = { text, shut, position: query === 0 ? undefined : query - 1 };
    // What else changes, such as the selected head, is drawn from what has been read.
    const key = JSON.stringify([wish, model.generation]);
    drawSoon();
    if (model.description === undefined || key === asked) return;
    asked = key;
    reader.ask(wish);
  }
  store.subscribe((_state, origin) => {
    if (origin !== 'replace') corrections.show([]);
    if (origin === 'popstate') correct();
    ask();
  });
  sentence.subscribe(ask);
  let { generation } = model;
  const follow = (): void => {
    if (model.generation !== generation) {
      generation = model.generation;
      correct();
    }
    ask();
  };
  model.onChange(follow);
  follow();
  const root = createStage({
    rail: [
      goal.root,
      hideable('controls', element('div.look-controls', field.root, openAll)),
      element('div', status, corrections.root, model.createNotice()),
      goal.outcome,
    ],
    end: createPanelEnd(store, 'look', [
      {
        name: words.exportNames.board,
        figure: () => composeDrawings(board.drawings()),
        data: () =>
          reader.run && {
            shut: reader.read?.shut,
            ...reader.run,
            weights: shapedWeights(reader.run.weights, reader.run.tokens.length),
          },
      },
      detail.savable,
    ]),
    more: { label: words.more, content: [createModelOpener(model)] },
    views: [figures],
  });
  // The model is larger than the page: it waits until more of the stage shows than its edge.
  whenSeen(root, '0px 0px -10%', () => model.load().catch(() => undefined));
  draw();
  return [root];
}
