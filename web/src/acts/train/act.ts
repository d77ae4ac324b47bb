import { hideable } from '../../address/hideable.js';
import type { Store } from '../../address/store.js';
import { boundChoice, createSelect } from '../../ui/controls/choice.js';
import { createPanelEnd } from '../../ui/controls/panel-end.js';
import { createPlaybackButtons } from '../../ui/controls/playback.js';
import { boundSeed } from '../../ui/controls/seed-field.js';
import { element } from '../../ui/dom.js';
import { oncePerFrame } from '../../ui/frames.js';
import { createStage } from '../../ui/stage.js';
import { onceNear } from '../../ui/act.js';
import { createWorker } from '../../worker/notice.js';
import { createRunControl } from '../../worker/run-driver.js';
import { createRunLoop } from './loop.js';
import { Runner } from './run.js';
import { createRunView } from './run-view.js';
import { isSameRun, measuredStep, type Pinned, runOptionsOf, type TrainState } from './state.js';
import { words } from './words.js';

/** A model that learns under the reader's eyes. */
export function createTrainContent(store: Store<TrainState>): HTMLElement[] {
  const { notice, connection } = createWorker(() => begin());
  const drawSoon = oncePerFrame(() => {
    playback.show(runner.state, runner.record?.step ?? 0);
    view.draw(runner.record, runner.state);
  });
  const runner = new Runner(connection, { onChange: drawSoon, onFailure: notice.showFailure });
  const view = createRunView(store, drawSoon);
  const { begin, ensureBegun, actions } = createRunControl(
    runner,
    notice,
    () => runOptionsOf(store.state),
    // Whoever goes on looks at what comes.
    () => store.change({ at: undefined }),
  );
  const playback = createPlaybackButtons(actions);
  /** To the step that the address asks for, if the run is not that far. */
  const reachShown = async (): Promise<void> => {
    await ensureBegun();
    const { at } = store.state;
    if (at !== undefined) await runner.reach(at);
  };
  let restoring: Promise<void> | undefined;
  /** A pinned run that only the address knows is made anew, before the one that it stands beside. */
  const restore = async (pinned: Pinned): Promise<void> => {
    await runner.begin(pinned.options);
    await runner.reach(pinned.step);
    const { record } = runner;
    if (record?.step === pinned.step && isSameRun(record.options, pinned.options)) {
      view.curve.keep(record);
      drawSoon();
    } else {
      store.change({ pinned: undefined }, 'replace');
    }
    begin();
  };
  const ensurePinned = async (): Promise<void> => {
    const { pinned } = store.state;
    if (pinned === undefined || view.curve.has(pinned)) return;
    restoring ??= restore(pinned).finally(() => {
      restoring = undefined;
    });
    await restoring;
  };

  /** A new run begins at its first step; one before that had reached the goal stays beside it. */
  const leave = (): void => {
    const { record } = runner;
    const isKept = store.state.pinned === undefined && record?.goalStep !== undefined;
    const pinned = isKept ? view.curve.keep(record) : store.state.pinned;
    store.change({ at: undefined, pinned }, 'replace');
  };
  store.moment = () => {
    const step = measuredStep(runner.record?.step ?? 0);
    return store.state.at === undefined && step > 0 ? { at: step } : {};
  };

  let options = runOptionsOf(store.state);
  runner.speed = store.state.speed;
  store.subscribe((state, origin) => {
    runner.speed = state.speed;
    drawSoon();
    const next = runOptionsOf(state);
    const isOther = !isSameRun(next, options);
    options = next;
    if (runner.state === 'idle') return;
    if (isOther) {
      begin();
      if (origin !== 'popstate') leave();
    }
    void ensurePinned().then(reachShown);
  });
  onceNear(playback.root, () => ensurePinned().then(reachShown));

  const panel = createTrainPanel(store);
  return [
    createStage({
      rail: [
        view.goal.root,
        element('div.run-rail.rail-pinned', playback.root, view.status),
        notice.root,
        panel.main,
      ],
      end: createPanelEnd(store, 'train', [
        {
          name: words.exportName,
          figure: () => view.figure(),
          data: () => runner.record?.data,
          loop: () => (runner.record === undefined ? view.figure() : createRunLoop(runner.record)),
        },
      ]),
      more: { label: words.more, content: [panel.more] },
      views: [view.root],
    }),
  ];
}

/** Speed and settings of a run. Changing a setting starts a new run. `main` holds what most readers change. */
function createTrainPanel(store: Store<TrainState>) {
  const controls = (...roots: readonly HTMLElement[]): HTMLElement =>
    hideable('controls', element('div.controls', ...roots));
  const explanation = element('p.note.task-explanation.small');
  store.follow(({ task }) => {
    explanation.textContent = words.explanations[task];
  });
  const task = boundChoice(store, 'task', words.task, (name) => words.tasks[name], createSelect);
  return {
    main: controls(
      boundChoice(store, 'speed', words.speed, (speed) => words.speeds[speed]),
      element('div', task, explanation),
      boundChoice(store, 'layers', words.layers),
      boundChoice(store, 'heads', words.heads),
    ),
    more: controls(
      boundChoice(store, 'rate', words.rate, String, createSelect),
      boundSeed(store),
      boundChoice(store, 'scale', words.scale, (name) => words.scales[name]),
    ),
  };
}
