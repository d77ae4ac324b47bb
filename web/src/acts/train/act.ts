import type { Store } from '../../address/store.js';
import { createExportMenu } from '../../ui/export/menu.js';
import { Connection } from '../../worker/connection.js';
import { createWorkerNotice } from '../../worker/notice.js';
import { createTrainPanel, createPlayback } from './controls.js';
import { createRunView } from './run-view.js';
import { Runner } from './runner.js';
import { isSameRun, runOptionsOf, type TrainState } from './state.js';
import { words } from './words.js';

/** The third act: a model that learns under the reader's eyes. */
export function createTrainContent(store: Store<TrainState>): HTMLElement[] {
  const notice = createWorkerNotice(() => {
    connection.giveUp();
    begin();
  });
  const connection = new Connection(notice.showSlow);
  const runner = new Runner(connection, {
    onChange: drawSoon,
    onFailure: notice.showFailure,
  });
  const view = createRunView(store, drawSoon);
  const playback = createPlayback(store, {
    onPlay: () => void ensureBegun().then(() => runner.play()),
    onPause: () => {
      runner.pause();
    },
    onStep: () => void ensureBegun().then(() => runner.step()),
    onAgain: begin,
  });

  let beginning: Promise<void> | undefined;
  function begin(): void {
    notice.clear();
    beginning = runner.begin(runOptionsOf(store.state));
  }

  async function ensureBegun(): Promise<void> {
    if (runner.state === 'idle' || runner.state === 'failed') begin();
    await beginning;
  }

  let isDue = false;
  /** At most once a frame, whatever came since the last. */
  function drawSoon(): void {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      playback.show(runner);
      view.draw(runner.record, runner.state);
    });
  }

  let options = runOptionsOf(store.state);
  runner.speed = store.state.speed;
  store.subscribe((state) => {
    runner.speed = state.speed;
    drawSoon();
    const next = runOptionsOf(state);
    if (isSameRun(next, options)) return;
    options = next;
    if (runner.state !== 'idle') begin();
  });
  whenNear(playback.root, () => void ensureBegun());

  return [
    view.goal,
    createTrainPanel(store),
    playback.root,
    notice.root,
    ...view.roots,
    createExportMenu({
      name: words.exportName,
      figure: () => view.figure(),
      data: () => runner.record?.data,
    }),
  ];
}

/** Calls once, when the reader comes near: what an act needs is not loaded for those who stay away. */
export function whenNear(target: Element, act: () => void): void {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      act();
    },
    { rootMargin: '400px' },
  );
  observer.observe(target);
}
