import { count } from '../../../format/sentences.js';
import { translatable } from '../../../format/translation.js';
import type { Head } from '../../../worker/heads.js';

/** The first screen, and what is said of a sentence wherever it is read. */
export const words = translatable('first', {
  hint: 'Point at a word or tap it: arcs lead to the words that it attends to. Press a head to see only its arcs.',
  label: 'What four heads of a trained model attend to in a sentence',
  roles: {
    previous: 'previous word',
    itself: 'the word itself',
    followed: 'what followed before',
    earlier: 'earlier copy',
    many: 'many words',
  },
  names: {
    query: 'The word you point at gives the *query*: what this word looks for.',
    key: 'Every word gives a *key*, and the query is compared with each. The better they match, the larger the *attention weight* and the thicker the arc. The weights of a head sum to 1.',
    value:
      'Every word also gives a *value*. The output of a head is the average of the values, weighted by the attention weights.',
    head: 'A *head* does all this with its own parameters. *Multi-head attention* runs several heads side by side, concatenates their outputs and projects them once more.',
  },
  source: (names: readonly string[]) =>
    `A small language model, trained with headwise, computed these weights: ${names.join(', ')}. It has a [causal mask]: no word attends to a later one.`,
  ownHint: (size: string) =>
    `When you type, the page loads the model (${size}). Your text stays on this device.`,
  pieces: 'Words that the model does not know are split into pieces.',
  notLoaded: 'The code of the model did not load. Check the connection, then type again.',

  textEmpty: 'Type a word to begin.',
  tokens: (number: number) => `The model reads ${count(number, 'token', 'tokens')}.`,
  omitted: (tokens: number, omittedWords: number) =>
    omittedWords === 1
      ? `It reads only the first ${tokens}: the last word is left out.`
      : `It reads only the first ${tokens}: the last ${omittedWords} words are left out.`,
  headName: ({ layer, head }: Head) => `head ${head + 1} of layer ${layer + 1}`,
});

/** What the page says of the act before its code is loaded. */
export const intro = translatable('lookIntro', {
  short: 'Look',
  title: 'Look: four heads, one sentence',
  lead: 'Each [head] answers the same question in its own way: *which words shall I look at?*',
});
