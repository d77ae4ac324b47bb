import type { Store } from '../address/store.js';
import { formatBytes } from '../format/numbers.js';
import { joinSentences } from '../format/sentences.js';
import { element, newId, setAttributes, setText } from '../ui/dom.js';
import { say } from '../ui/live-region.js';
import { builtInBytes } from '../worker/built-in-size.js';
import type { Fans } from './fans.js';
import type { LiveModel, LiveReading } from './live-model.js';
import { builtIn, builtInReading } from './reading.js';
import { example, type FirstState, maxCharacters, maxWords, usedPart } from './state.js';
import { words } from './words.js';

/** A sentence to write, or one of a few to press, which the model reads once it is there. */
export function createOwnSentence(store: Store<FirstState>, fans: Fans): HTMLElement {
  const id = newId('sentence');
  const statusId = newId('status');
  const input = element('input', {
    id,
    type: 'text',
    class: 'first-text',
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: words.placeholder(maxWords),
    'aria-describedby': statusId,
  });
  const status = element('p', { id: statusId, class: 'first-status' });
  const notice = element('div');
  const texts = ['', example];
  const buttons = texts.map((text) =>
    element('button', { type: 'button', lang: 'en' }, text === '' ? builtIn.text : text),
  );

  let loading: Promise<LiveModel> | undefined;
  let bytes = 0;
  let live: LiveReading | undefined;
  let problem = '';
  let isCut = false;

  const model = (): Promise<LiveModel> =>
    (loading ??= import('./live-model.js').then(({ createLiveModel }) => {
      const made = createLiveModel({
        onProgress(done) {
          bytes = done;
          tell();
        },
        onReading(reading) {
          live = reading;
          draw();
        },
      });
      notice.replaceChildren(made.notice);
      return made;
    }));

  async function ask(what: (model: LiveModel) => void): Promise<void> {
    try {
      problem = '';
      what(await model());
    } catch {
      loading = undefined;
      problem = words.notLoaded;
    }
    tell();
  }

  /** The sentence that the model is to read; empty where the page has what it gives. */
  const textToRead = (): string => {
    const text = store.state.text.trim();
    return text === builtIn.text ? '' : text;
  };

  function tell(): void {
    const text = textToRead();
    const said =
      problem !== ''
        ? problem
        : text === ''
          ? words.ownHint(formatBytes(builtInBytes))
          : live?.text === text
            ? live.said
            : words.loading(formatBytes(bytes), formatBytes(builtInBytes));
    const told = isCut ? joinSentences([said, words.cut(maxWords, maxCharacters)]) : said;
    // How much has come is on its way to something, and nothing to be told.
    if (live?.text === text || problem !== '') say(status, told);
    else setText(status, told);
  }

  function draw(): void {
    const text = textToRead();
    const { top } = input.getBoundingClientRect();
    if (text === '') fans.show(builtInReading);
    else if (live?.text === text) fans.show(live);
    tell();
    if (document.activeElement !== input) return;
    // Once that is drawn: more lines of words do not move the field that is written in.
    queueMicrotask(() => {
      window.scrollBy({ top: input.getBoundingClientRect().top - top, behavior: 'instant' });
    });
  }

  let asked = '';
  function follow(): void {
    const { text } = store.state;
    if (document.activeElement !== input) input.value = text;
    buttons.forEach((button, i) => {
      setAttributes(button, { 'aria-pressed': String(texts[i] === text) });
    });
    const toRead = textToRead();
    if (toRead !== asked) {
      asked = toRead;
      draw();
      if (toRead !== '')
        void ask((model) => {
          model.read(toRead);
        });
    }
  }

  // What is written in one go is one step back in the history.
  let isWriting = false;
  input.addEventListener(
    'pointerdown',
    () =>
      void ask((model) => {
        model.load();
      }),
  );
  input.addEventListener('input', () => {
    const text = usedPart(input.value);
    isCut = text !== input.value;
    store.change({ text, query: 0 }, isWriting ? 'replace' : 'push');
    isWriting = true;
    tell();
  });
  input.addEventListener('change', () => {
    isWriting = false;
    isCut = false;
    input.value = store.state.text;
    tell();
  });
  buttons.forEach((button, i) => {
    button.addEventListener('click', () => {
      store.change({ text: texts[i] ?? '', query: 0 });
    });
  });
  store.subscribe(follow);
  tell();
  follow();

  return element(
    'div',
    { class: 'control first-own' },
    element('label', { for: id, class: 'control-label' }, words.own),
    input,
    element('div', { class: 'buttons', role: 'group', 'aria-label': words.examples }, ...buttons),
    status,
    notice,
  );
}
