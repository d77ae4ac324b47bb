import { init } from 'headwise';

import { createPage } from './page.js';
import { createFailure } from './parts/failure.js';
import { createHeadsContent } from './parts/heads-part.js';
import { createToyContent } from './parts/toy-part.js';
import { readQuery } from './state/address.js';
import { connectHistory } from './state/history.js';
import { ViewStore } from './state/view-store.js';

async function start(): Promise<void> {
  // The layer loads while the words are laid out.
  const ready = init();
  const page = createPage();
  try {
    await ready;
    const { state, corrections } = readQuery(window.location.search);
    const store = new ViewStore(state);
    connectHistory(store, page.showNotices);
    page.showNotices(corrections);
    page.toy.append(...createToyContent());
    page.heads.append(...createHeadsContent(store));
  } catch (error) {
    page.toy.replaceChildren(createFailure(error));
    page.heads.replaceChildren();
  }
}

await start();
