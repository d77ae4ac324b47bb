import { init } from 'headwise';
import { render } from 'lit-html';

import { createHeadsContent } from '../acts/heads/act.js';
import { createHeadsStore } from '../acts/heads/state.js';
import { createPruneContent } from '../acts/prune/act.js';
import { pruneFields } from '../acts/prune/state.js';
import { createToyContent } from '../acts/toy/act.js';
import { toyFields } from '../acts/toy/state.js';
import { createTrainContent } from '../acts/train/act.js';
import { trainFields } from '../acts/train/state.js';
import { followAddress, readAddress } from '../address/history.js';
import { Store } from '../address/store.js';
import { failureNotice } from '../ui/notices.js';
import { addFrame, addressedId } from './navigation.js';
import { createPage } from './page.js';

async function start(): Promise<void> {
  // The layer loads while the words are laid out.
  const ready = init();
  const { toy, heads, train, prune, showNotices } = createPage();
  const showReady = addFrame();
  try {
    await ready;
    const toyStore = new Store(toyFields);
    const headsStore = createHeadsStore();
    const trainStore = new Store(trainFields);
    const pruneStore = new Store(pruneFields);
    const addressed = [
      { store: toyStore, showNotices: toy.showNotices },
      { store: headsStore, showNotices: heads.showNotices },
      { store: trainStore, showNotices: train.showNotices },
      { store: pruneStore, showNotices: prune.showNotices },
    ];
    readAddress(addressed, showNotices);
    toy.live.append(...createToyContent(toyStore));
    heads.live.append(...createHeadsContent(headsStore));
    train.live.append(...createTrainContent(trainStore));
    prune.live.append(...createPruneContent(pruneStore));
    followAddress(addressed, showNotices);
  } catch (error) {
    const acts = [toy, heads, train, prune];
    for (const { live } of acts) live.replaceChildren();
    // Told once, where the reader will look.
    const id = addressedId();
    const named = acts.find(({ root }) => root.id === id);
    render(failureNotice(error), (named ?? toy).live);
  }
  showReady();
}

await start();
