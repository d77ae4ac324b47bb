// The site's order of documents. One that is not named here comes last among the guides.

/** By heading: names of files in docs/, without `.md`; those that are not there are left out. */
export const chapters = {
  Guides: [
    'first-steps',
    'options',
    'loading-weights',
    'decoding',
    'training',
    'pruning',
    'models',
    'view',
    'threads',
    'bundlers',
    'runtimes',
    'moving',
    'comparison',
    'speed',
  ],
  'The page': ['page', 'hosting'],
  'Inside headwise': ['head-importance', 'hacking', 'recipes', 'kernels'],
};

/** What a sidebar calls a document where its title is long. */
export const shortTitles = {
  'first-steps': 'First steps',
  options: 'Options',
  training: 'Training',
  comparison: 'Compared with others',
  speed: 'Speed',
  page: "The page's address",
  'head-importance': 'Which measure finds heads',
  hacking: 'How the code works',
  kernels: 'Why kernels look so',
};
