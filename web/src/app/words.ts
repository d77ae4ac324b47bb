import { translatable } from '../format/translation.js';

/** What the page is, for those who have not opened it. */
export const description =
  'Type a sentence and see which words each head of a small language model attends to. Then step through an attention layer, train one, and find out which heads can be pruned.';

/** The words around the acts. */
export const words = translatable('app', {
  title: 'headwise: multi-head attention, head by head',
  heading: 'Multi-head attention, head by head',

  footer: {
    source:
      'After the chapter “Multi-Head Attention” of *Dive into Deep Learning* by Aston Zhang, Zachary C. Lipton, Mu Li and Alexander J. Smola (Cambridge University Press, 2023), with its example and its names. The text is our own.',
    chapter: 'Read the chapter at d2l.ai',
    print: 'Print the whole page',
  },

  language: {
    label: 'Language',
    notLoaded: (name: string) =>
      `The page did not load in ${name}, and is in English. Check the connection, then reload the page.`,
  },

  present: { start: 'Present', leave: 'Leave', label: 'Presentation' },

  skip: 'Skip to the first act',
  navigation: 'Acts',
});
