/** The words around the acts. */
export const words = {
  document: {
    title: 'headwise: multi-head attention, head by head',
    description:
      'Multi-head attention running in your browser: the weights of every head, drawn on one scale, from the toy example of Dive into Deep Learning to any seed, number of heads and mask.',
    noScript: 'This page computes everything it shows, and needs JavaScript to do so.',
  },

  header: {
    name: 'headwise',
    title: 'Multi-head attention, head by head',
    intro: [
      'Attention compares a query with every key, turns the scores into weights that sum to one, and averages the values by these weights. *Multi-head* attention does this several times in parallel. Each head projects the same queries, keys and values with parameters of its own, so that each can attend to something different. The outputs of all heads are concatenated and projected once more.',
      'This page runs such a layer and draws the attention weights of every head. Nothing is precomputed: every number comes from a forward pass in your browser, run when the page opened or when you last changed a control.',
    ],
  },

  footer: {
    source:
      'After the chapter “Multi-Head Attention” of *Dive into Deep Learning* by Aston Zhang, Zachary C. Lipton, Mu Li and Alexander J. Smola (Cambridge University Press, 2023), with its example and its names. The text is our own.',
    chapter: 'Read the chapter at d2l.ai',
  },

  frame: {
    skip: 'Skip to the first act',
    navigation: 'Acts',
    /** Short names, by the ids of the acts. */
    acts: { toy: 'Toy example', heads: 'Heads', train: 'Train', prune: 'Prune' },
  },
} as const;
