import './style.css';

import type { Store } from '../../address/store.js';
import { createPanelEnd } from '../../ui/controls/panel-end.js';
import { element } from '../../ui/dom.js';
import { oncePerFrame } from '../../ui/once-per-frame.js';
import { createStage } from '../../ui/stage.js';
import { whenNear } from '../../ui/when-near.js';
import { Connection } from '../../worker/connection.js';
import { createWorkerNotice } from '../../worker/notice.js';
import { createRunControl } from '../../worker/run-driver.js';
import { createTrainPanel, createPlayback } from './controls.js';
import { createRunView } from './run-view.js';
import { Runner } from './runner.js';
import { isSameRun, runOptionsOf, type TrainState } from './state.js';
import { words } from './words.js';

/** A model that learns under the reader's eyes. */
export function createTrainContent(store: Store<TrainState>): HTMLElement[] {
  const notice = createWorkerNotice(() => {
    connection.giveUp();
    begin();
  });
  const connection = new Connection(notice.showSlow);
  const drawSoon = oncePerFrame(() => {
    playback.show(runner);
    view.draw(runner.record, runner.state);
  });
  const runner = new Runner(connection, { onChange: drawSoon, onFailure: notice.showFailure });
  const view = createRunView(store, drawSoon);
  const { begin, ensureBegun, actions } = createRunControl(runner, notice, () =>
    runOptionsOf(store.state),
  );
  const playback = createPlayback(store, actions);

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
  whenNear(playback.root, ensureBegun);

  const panel = createTrainPanel(store);
  return [
    createStage({
      label: words.panel,
      rail: [
        element('div', { class: 'rail-pinned' }, view.goal, playback.root, view.status),
        notice.root,
        panel.main,
      ],
      end: createPanelEnd(store, 'train', [
        { name: words.exportName, figure: () => view.figure(), data: () => runner.record?.data },
      ]),
      more: { label: words.more, content: [panel.more] },
      views: view.roots,
    }),
  ];
}
