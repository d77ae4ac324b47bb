import { element, paragraph } from '../../../ui/dom.js';
import { createSentenceField } from '../../../reading/sentence-field.js';
import { sentence } from '../../../reading/sentence.js';
import { look } from '../state.js';
import { words } from './words.js';
import { createArcs } from './arcs.js';
import { builtIn } from './reading.js';

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
  const arcs = createArcs();
  const field = createSentenceField([builtIn.text, example]);
  arcs.onTold((told) => {
    field.tell(told);
  });
  const names = builtIn.heads.map(({ layer, head }) => words.headName({ layer, head }));
  return [
    element(
      'div',
      { class: 'first' },
      element(
        'div',
        { class: 'first-stage' },
        field.root,
        arcs.root,
        paragraph(words.hint, { class: 'first-hint' }),
        field.examples,
      ),
      element(
        'div',
        { class: 'first-names' },
        ...Object.values(words.names).map((sentences) => paragraph(sentences)),
      ),
      paragraph(words.source(names), { class: 'first-source' }),
    ),
  ];
}
