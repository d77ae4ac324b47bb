import { translatable } from '../format/translation.js';

/** The first screen. */
export const words = translatable('first', {
  question: 'Four heads, one sentence, four different answers to: *where shall I look?*',
  hint: 'Point at a word, or tap it: each head draws how much that word attends to the words before it. Press a head to see it alone.',
  label: 'What four heads of a trained model attend to in a sentence',
  names: {
    query: 'The word you point at is the *query*: it asks.',
    key: 'The words that arcs lead to are *keys*: the thicker the arc, the larger the *weight* that the head gives that word. The weights of a head sum to one.',
    value:
      'What the query takes from each of these words is its *value*: the head’s output is the average of all values by the weights.',
    head: 'A *head* does all of this with parameters of its own. Several heads side by side, concatenated and projected once more, are multi-head attention.',
  },
  source: (layers: readonly string[]) =>
    `A small language model that headwise has trained, with 4 layers of 4 heads. Shown: ${layers.join(', ')}. It reads from left to right, so that no word attends to a later one.`,
  head: (layer: number, head: number) => `head ${head} of layer ${layer}`,
});
