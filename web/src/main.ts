import { init } from 'headwise';

import { createPage } from './page.js';
import { createFailure } from './parts/failure.js';
import { createHeadsContent } from './parts/heads-part.js';
import { createToyContent } from './parts/toy-part.js';
import { createTrainContent } from './parts/train-part.js';
import { headsFields, settleHeads } from './state/heads-state.js';
import { connectHistory } from './state/history.js';
import { Store } from './state/store.js';
import { trainFields } from './state/train-state.js';

async function start(): Promise<void> {
  // The layer loads while the words are laid out.
  const ready = init();
  const { toy, heads, train, showNotices } = createPage();
  try {
    await ready;
    const headsStore = new Store(headsFields, settleHeads);
    const trainStore = new Store(trainFields);
    connectHistory(
      [
        { store: headsStore, showNotices: heads.showNotices },
        { store: trainStore, showNotices: train.showNotices },
      ],
      showNotices,
    );
    toy.live.append(...createToyContent());
    heads.live.append(...createHeadsContent(headsStore));
    train.live.append(...createTrainContent(trainStore));
    // The act that the address names has only now found its place.
    document.getElementById(window.location.hash.slice(1))?.scrollIntoView();
  } catch (error) {
    toy.live.replaceChildren(createFailure(error));
    heads.live.replaceChildren();
  }
}

await start();
