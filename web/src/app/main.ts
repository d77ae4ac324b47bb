import { render } from 'lit-html';

import { hideEmptied } from '../address/hideable.js';
import { followAddress, readAddress } from '../address/history.js';
import { actOfQuestion, questions } from '../questions/state.js';
import { sentence } from '../reading/sentence.js';
import { element } from '../ui/dom.js';
import { failureNotice } from '../ui/notices.js';
import { openTerms } from '../ui/terms.js';
import { onceNear } from '../ui/act.js';
import { createPage, type PlacedAct } from './page.js';
import { addressedId, landOn } from './scrolling.js';
import { followLanguage } from './language.js';
import { addFrame } from './navigation.js';
import { present } from './present.js';
import { words } from '../ui/words.js';

async function start(): Promise<void> {
  const [aboutLanguage] = await Promise.all([
    followLanguage(),
    // On its way since index.html: the first screen is painted without it.
    import('./styles.css').catch(() => undefined),
  ]);
  const isAtQuestion = goToQuestion();
  const { acts, showNotices } = createPage(aboutLanguage);
  const showReady = addFrame(acts);
  openTerms();
  const addressed = acts.map(({ open, ...placed }) => ({ ...open(), ...placed }));
  const shared = [sentence, questions, present].map((store) => ({ store, showNotices }));
  const stores = [...addressed, ...shared];
  readAddress(stores, showNotices);
  for (const { load, ...place } of addressed) appendWhenNear(place, load);
  followAddress(stores, showNotices);
  showReady();
  keepOffline();
  if (isAtQuestion)
    landOn(
      () => document.querySelector('.question[open]') ?? document.getElementById(addressedId()),
    );
}

/** Leads an address of a question, `?question=…#questions`, to its act. Answers whether it is one. */
function goToQuestion(): boolean {
  const { location, history } = window;
  if (location.hash !== '#questions') return false;
  questions.readFrom(new URLSearchParams(location.search));
  history.replaceState(null, '', `${location.search}#${actOfQuestion(questions.state.question)}`);
  return true;
}

/** Loads the layer for the first act that is near: who reads only the first screen needs none. */
const loadLayer = async (): Promise<unknown> => (await import('./layer.js')).loadLayer();

/** Loads what belongs to an act once the reader comes near, or opens its address. */
function appendWhenNear(
  { id, root, live }: Pick<PlacedAct, 'id' | 'root' | 'live'>,
  load: () => Promise<() => readonly Node[]>,
): void {
  live.toggleAttribute('data-awaited', true);
  onceNear(live, async () => {
    const code = Promise.all([
      load(),
      import('../questions/questions.js'),
      import('./act-styles.js'),
    ]);
    const ready = loadLayer();
    // Told below, where it is waited for.
    ready.catch(() => undefined);
    let content: readonly Node[];
    let asked: readonly Node[] = [];
    try {
      const [create, { createQuestions }] = await code;
      try {
        await ready;
        content = create();
        asked = createQuestions(id);
      } catch (error) {
        const notice = element('div');
        render(failureNotice(error), notice);
        content = [notice];
      }
    } catch {
      content = [element('p.failure', { role: 'alert' }, words.notLoaded)];
    }
    live.removeAttribute('data-awaited');
    live.replaceChildren(...content);
    root.append(...asked);
    hideEmptied();
  });
}

/** What browsers tell of the network, where they do (https://wicg.github.io/netinfo/). */
interface Network {
  readonly saveData?: boolean;
  readonly type?: string;
}

/**
 * Has a service worker keep all files for when there is no network. Not before the page has loaded and the browser is
 * idle; and not where the reader saves data or pays for it.
 */
function keepOffline(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  const { saveData, type } = (navigator as { connection?: Network }).connection ?? {};
  if (saveData === true || type === 'cellular') return;
  const register = (): void => {
    navigator.serviceWorker
      .register(new URL('service-worker.js', document.baseURI))
      .catch(() => undefined);
  };
  const whenIdle = (): void => {
    // WebKit has no idle callbacks.
    if ('requestIdleCallback' in window) window.requestIdleCallback(register, { timeout: 10_000 });
    else setTimeout(register, 2000);
  };
  if (document.readyState === 'complete') whenIdle();
  else window.addEventListener('load', whenIdle, { once: true });
}

// Not awaited here: the words of a language import from this file, and would wait for it as it waits for them.
void start();
