import { count } from '../format/sentences.js';
import { translatable } from '../format/translation.js';

/** The first screen. */
export const words = translatable('first', {
  question: 'Four heads, one sentence, four different answers to: *where shall I look?*',
  hint: 'Point at a word, or tap it: each head draws how much that word attends to the words before it. Press a head to see it alone.',
  label: 'What four heads of a trained model attend to in a sentence',
  roles: {
    previous: 'previous word',
    itself: 'the word itself',
    followed: 'what followed before',
    many: 'many words',
  },
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

  own: 'Your own sentence',
  examples: 'Sentences',
  placeholder: (maxWords: number) => `Up to ${maxWords} words`,
  ownHint: (size: string) =>
    `The model (${size}) loads when you begin. What you write stays on this device.`,
  loading: (done: string, size: string) => `The model is loading: ${done} of ${size}.`,
  read: (tokens: number) => `Read by the model just now: ${count(tokens, 'token', 'tokens')}.`,
  pieces: 'Words that it does not know are read in pieces.',
  noRepeat: (followed: string) =>
    `No token comes twice, so the head “${followed}” has nothing to look up.`,
  cut: (maxWords: number, maxCharacters: number) =>
    `Cut to ${maxWords} words and ${maxCharacters} characters.`,
  notLoaded: 'The model’s code did not load. Check the connection, then write on.',
});
