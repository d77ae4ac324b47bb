import { createHeadsElement } from '../../../attention/heads-element.js';
import { formatBytes } from '../../../format/numbers.js';
import { joinSentences } from '../../../format/sentences.js';
import type { SharedModel } from '../../../reading/model.js';
import { createSentenceField, sayLoading } from '../../../reading/sentence-field.js';
import { sentence } from '../../../reading/sentence.js';
import { element, paragraph } from '../../../ui/dom.js';
import { builtInBytes } from '../../../worker/built-in-size.js';
import type { TextRun } from '../../../worker/language-model.js';
import { look } from '../state.js';
import { hasPieces } from '../../../reading/tokens.js';
import { builtIn, builtInReading, type Reading, readingOf } from './reading.js';
import { words } from './words.js';

/** Repeats some of its words, so that the head that looks for repetitions finds one. */
const example = 'I am what I am and you are what you are';

/**
 * What the page opens with: a sentence under four heads of a trained model, which answer to pointer, touch and keyboard
 * at the first paint. Their weights come with the page (reading/sentence.json); once the reader writes a sentence, or the
 * address has one, the model itself is loaded and reads it.
 */
export function createFirstScreen(): Node[] {
  // The page reads the address once it has loaded more. Notices of what it corrects can wait until then.
  const parameters = new URLSearchParams(window.location.search);
  sentence.readFrom(parameters);
  look.readFrom(parameters);
  const field = createSentenceField([builtIn.text, example]);
  const arcs = createArcs(field.tell);
  const names = builtIn.heads.map(({ layer, head }) => words.headName({ layer, head }));
  return [
    element(
      'div.first.stack',
      element(
        'div.first-stage.stack',
        field.root,
        arcs,
        paragraph(words.hint, { class: 'first-hint' }),
        field.examples,
      ),
      element(
        'div.first-names',
        ...Object.values(words.names).map((sentences) => paragraph(sentences)),
      ),
      paragraph(words.source(names), { class: 'first-source' }),
    ),
  ];
}

let follow: () => void = () => undefined;

/** Has the first screen follow the model, which the reader may replace. It does not load it. */
export function followModel(): void {
  follow();
}

/**
 * The sentence, and from its selected word the arcs of four heads.
 *
 * @param tell called with the sentence's status, at once and whenever it changes
 */
function createArcs(tell: (told: string) => void): HTMLElement {
  const view = createHeadsElement({ class: 'first-arcs', 'aria-label': words.label });
  const place = element('div');
  let shown: Reading | undefined;
  let model: SharedModel | undefined;
  let run: { readonly text: string; readonly run: TextRun | undefined } | undefined;
  let problem = '';

  function select(): void {
    const { arcs, query } = look.state;
    if (shown === undefined) return;
    view.head = arcs === 0 ? undefined : Math.min(arcs, shown.names.length) - 1;
    view.query = query === 0 ? shown.query : Math.min(query, shown.tokens.length) - 1;
  }

  function show(reading: Reading): void {
    if (reading !== shown) {
      shown = reading;
      view.weights = reading.weights;
      view.tokens = reading.tokens;
      view.names = reading.names.map((role) => words.roles[role]);
    }
    select();
  }

  /** Whether the page has what the model would give. */
  const isBuiltIn = (): boolean =>
    sentence.state.text.trim() === builtIn.text && model?.isOwn !== true;

  function say(): void {
    const { text } = sentence.state;
    const progress = model?.progress;
    if (problem !== '') tell(problem);
    else if (isBuiltIn()) tell(words.ownHint(formatBytes(builtInBytes)));
    else if (text.trim() === '') tell(words.textEmpty);
    else if (run?.text === text && run.run !== undefined) tell(describe(run.run));
    else if (progress !== undefined) tell(sayLoading(progress));
  }

  let asked = '';
  async function read(): Promise<void> {
    const { text } = sentence.state;
    if (isBuiltIn()) show(builtInReading);
    say();
    if (isBuiltIn() || text.trim() === '') {
      asked = '';
      return;
    }
    try {
      problem = '';
      model ??= await connect();
      const key = `${model.generation} ${text}`;
      if (key === asked) return;
      asked = key;
      const answer = await model.call((service) => service.run(text));
      if (text !== sentence.state.text || isBuiltIn()) return;
      run = { text, run: answer };
      if (answer !== undefined) show(readingOf(answer, model.isOwn));
    } catch (error) {
      asked = '';
      // The notice of the shared model reports all other errors.
      if (model === undefined) problem = words.notLoaded;
      else if (error instanceof Error && error.name === 'CheckpointError') problem = error.message;
    }
    say();
  }

  async function connect(): Promise<SharedModel> {
    if (model !== undefined) return model;
    const { languageModel } = await import('../../../reading/model.js');
    const shared = languageModel();
    place.replaceChildren(shared.createNotice());
    let { generation } = shared;
    shared.onChange(() => {
      if (shared.generation !== generation && shared.description !== undefined) {
        generation = shared.generation;
        void read();
      }
      say();
    });
    return shared;
  }

  // Pointing changes only the view; pressing also sets the attributes and the address.
  const keep = (): void => {
    const query = Number(view.getAttribute('query'));
    look.change({
      arcs: view.head === undefined ? 0 : view.head + 1,
      query: query === shown?.query ? 0 : query + 1,
    });
  };
  view.addEventListener('click', keep);
  view.addEventListener('keydown', keep);
  look.subscribe(select);
  sentence.subscribe(() => void read());
  follow = () => {
    void connect().then((shared) => {
      model = shared;
    });
  };
  show(builtInReading);
  void read();

  return element('div.first-arcs-place', view, place);
}

/** What the model read of a text. */
export function describe({ tokens, omittedWords }: TextRun): string {
  return joinSentences([
    words.tokens(tokens.length),
    ...(omittedWords === 0 ? [] : [words.omitted(tokens.length, omittedWords)]),
    ...(hasPieces(tokens) ? [words.pieces] : []),
  ]);
}
