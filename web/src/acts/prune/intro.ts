import { translatable } from '../../format/translation.js';

/** What the page says of the act before its code is loaded. */
export const intro = translatable('pruneIntro', {
  short: 'Prune',
  title: 'Which heads matter, and which can go',
  lead: 'To judge a measure of importance one must know which heads matter, so here this is planted.',
  paragraphs: [
    'While the model learns, only four of its twelve heads are open: two that attend to the previous token, and two that find the token that followed the same token before. Then the others are opened. Some are *sharp*: they attend sharply to one key but contribute nothing. Some are *quiet*: they keep their random initial parameters.',
    '[Ablation] measures how much the loss increases without a head, the [gradient] its slope at the head’s gate. Confidence and [entropy] only measure how concentrated the attention weights of a head are. Which measures are misled?',
  ],
});
