import { translatable } from '../../format/translation.js';

/** What the page says of the act before its code is loaded. */
export const intro = translatable('headsIntro', {
  short: 'Heads',
  title: 'The heads',
  lead: 'With random input the keys differ, and so do the heads, because each [projects|projection] them with parameters of its own.',
  paragraphs: [
    'These parameters are untrained, so no head has a strong preference: the [attention weights|attention weight] stay close to uniform.',
    'Give a sample a single valid key, then none: which weights remain? Return to ones and change the seed: the parameters change, the maps do not. With the planted patterns every head has a role. You can also type a sentence or use numbers of your own.',
  ],
});
