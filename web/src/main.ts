import { init } from 'headwise';

import { Inputs } from './inputs/inputs.js';
import { createPage } from './page.js';
import { createFailure } from './parts/failure.js';
import { createHeadsContent } from './parts/heads-part.js';
import { createToyContent } from './parts/toy-part.js';
import { headsFields, settleHeads } from './state/heads-state.js';
import { connectHistory } from './state/history.js';
import { Store } from './state/store.js';
import { toyFields } from './state/toy-state.js';

async function start(): Promise<void> {
  // The layer loads while the words are laid out.
  const ready = init();
  const { toy, heads, showNotices } = createPage();
  try {
    await ready;
    const inputs = new Inputs();
    const toyStore = new Store(toyFields);
    const headsStore = new Store(headsFields, (state) => settleHeads(state, inputs));
    connectHistory(
      [
        { store: toyStore, showNotices: toy.showNotices },
        { store: headsStore, showNotices: heads.showNotices },
      ],
      showNotices,
    );
    toy.live.append(...createToyContent(toyStore));
    heads.live.append(...createHeadsContent(headsStore, inputs));
    // The act that the address names has only now found its place.
    document.getElementById(window.location.hash.slice(1))?.scrollIntoView();
  } catch (error) {
    toy.live.replaceChildren(createFailure(error));
    heads.live.replaceChildren();
  }
}

await start();
