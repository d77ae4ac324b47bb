import { init } from 'headwise';

import { addressedId } from './frame/addressed-id.js';
import { addFrame } from './frame/frame.js';
import { Inputs } from './inputs/inputs.js';
import { createPage } from './page.js';
import { createFailure } from './parts/failure.js';
import { createHeadsContent } from './parts/heads-part.js';
import { createPruneContent } from './parts/prune-part.js';
import { createToyContent } from './parts/toy-part.js';
import { createTrainContent } from './parts/train-part.js';
import { headsFields, settleHeads } from './state/heads-state.js';
import { followAddress, readAddress } from './state/history.js';
import { pruneFields } from './state/prune-state.js';
import { Store } from './state/store.js';
import { toyFields } from './state/toy-state.js';
import { trainFields } from './state/train-state.js';

async function start(): Promise<void> {
  // The layer loads while the words are laid out.
  const ready = init();
  const { toy, heads, train, prune, showNotices } = createPage();
  const settleFrame = addFrame();
  try {
    await ready;
    const inputs = new Inputs();
    const toyStore = new Store(toyFields);
    const headsStore = new Store(headsFields, (state) => settleHeads(state, inputs));
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
    heads.live.append(...createHeadsContent(headsStore, inputs));
    train.live.append(...createTrainContent(trainStore));
    prune.live.append(...createPruneContent(pruneStore));
    followAddress(addressed, showNotices);
  } catch (error) {
    const acts = [toy, heads, train, prune];
    for (const { live } of acts) live.replaceChildren();
    // Told once, where the reader will look.
    const id = addressedId();
    const named = acts.find(({ root }) => root.id === id);
    (named ?? toy).live.append(createFailure(error));
  }
  settleFrame();
}

await start();
