import { init } from 'headwise';
import { render } from 'lit-html';

import { followAddress, readAddress } from '../address/history.js';
import { sentence } from '../reading/sentence.js';
import { element } from '../ui/dom.js';
import { failureNotice } from '../ui/notices.js';
import { openTerms } from '../ui/terms.js';
import { whenNear } from '../ui/when-near.js';
import { followLanguage } from './language.js';
import { addFrame, addressedId } from './navigation.js';
import { createPage, type PlacedAct } from './page.js';
import { words } from './words.js';

async function start(): Promise<void> {
  // The layer loads while the words are laid out.
  // What a page shows is too small for threads; its worker takes the same WebAssembly file.
  const ready = init({ threads: 1 });
  // Told below, where it is waited for.
  ready.catch(() => undefined);
  const { first, acts, showNotices } = createPage(await followLanguage());
  const showReady = addFrame(acts);
  openTerms();
  try {
    await ready;
    const addressed = acts.map(({ open, ...placed }) => ({ ...open(), ...placed }));
    const reading = { store: sentence, showNotices: first.showNotices };
    const stores = [first, ...addressed, reading];
    readAddress(stores, showNotices);
    for (const { live, content } of addressed) {
      if ('now' in content) live.append(...content.now());
      else appendWhenNear(live, content.later);
    }
    followAddress(stores, showNotices);
  } catch (error) {
    for (const { live } of acts) live.replaceChildren();
    // Told once, where the reader will look.
    const id = addressedId();
    const named = acts.find(({ root }) => root.id === id) ?? acts[0];
    render(failureNotice(error), named.live);
  }
  showReady();
}

/** Loads what belongs to a place once the reader comes near, or opens the address of its act. */
function appendWhenNear(place: PlacedAct['live'], load: () => Promise<readonly Node[]>): void {
  place.toggleAttribute('data-awaited', true);
  whenNear(place, async () => {
    let content: readonly Node[];
    try {
      // In one file for all acts: of several on their way WebKit lays out the first without its rules.
      [content] = await Promise.all([load(), import('./act-styles.css')]);
    } catch {
      content = [element('p', { class: 'failure', role: 'alert' }, words.notLoaded)];
    }
    place.removeAttribute('data-awaited');
    place.replaceChildren(...content);
  });
}

// Not awaited here: the words of a language import from this file, and would wait for it as it waits for them.
void start();
