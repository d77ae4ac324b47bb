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
    query: 'The word you point at gives the *query*: what this word looks for.',
    key: 'Each word that an arc leads to gives a *key*, which the query is compared with. The thicker the arc, the larger the *attention weight*; the weights of a head sum to 1.',
    value:
      'Each of these words also gives a *value*. The output of the head is the average of the values, weighted by the attention weights.',
    head: 'A *head* computes all this with parameters of its own. *Multi-head attention* runs several heads side by side, concatenates their outputs and projects them once more.',
  },
  source: (layers: readonly string[]) =>
    `These weights are those of a small language model with 4 layers of 4 heads, trained with headwise: ${layers.join(', ')}. The model has a [causal mask]: no word attends to a later one.`,
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
