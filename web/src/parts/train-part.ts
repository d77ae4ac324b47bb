import { element } from '../dom.js';
import { createExportMenu } from '../export/export-menu.js';
import { Connection } from '../lab/connection.js';
import type { Store } from '../state/store.js';
import { isSameRun, runOptionsOf, type TrainState } from '../state/train-state.js';
import { text } from '../text/index.js';
import { createTrainPanel } from '../train/panel.js';
import { createRunView } from '../train/run-view.js';
import { Runner } from '../train/runner.js';
import { createTransport } from '../train/transport.js';
import { createLabFailure } from './lab-failure.js';
import { whenNear } from './when-near.js';

/** The third act: a model that learns under the reader's eyes. */
export function createTrainContent(store: Store<TrainState>): HTMLElement[] {
  const failure = element('div');
  const runner = new Runner(new Connection(), {
    onChange: drawSoon,
    onFailure: (error) => {
      failure.replaceChildren(createLabFailure(error, () => void begin()));
    },
  });
  const view = createRunView(store, drawSoon);
  const transport = createTransport(store, {
    onPlay: () => void ensureBegun().then(() => runner.play()),
    onPause: () => {
      runner.pause();
    },
    onStep: () => void ensureBegun().then(() => runner.step()),
    onAgain: () => void begin(),
  });

  async function begin(): Promise<void> {
    failure.replaceChildren();
    await runner.begin(runOptionsOf(store.state));
  }

  let beginning: Promise<void> | undefined;
  async function ensureBegun(): Promise<void> {
    if (runner.state === 'idle' || runner.state === 'failed') beginning = begin();
    await beginning;
  }

  let isDue = false;
  /** At most once a frame, whatever came since the last. */
  function drawSoon(): void {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      transport.show(runner);
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
    if (runner.state !== 'idle') beginning = begin();
  });
  whenNear(transport.root, () => void ensureBegun());

  return [
    view.goal,
    createTrainPanel(store),
    transport.root,
    failure,
    ...view.roots,
    createExportMenu({
      name: text.train.exportName,
      figure: () => view.figure(),
      data: () => runner.record?.data,
    }),
  ];
}
