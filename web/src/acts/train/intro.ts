import { translatable } from '../../format/translation.js';

/** What the page says of the act before its code is loaded. */
export const intro = translatable('trainIntro', {
  short: 'Train',
  title: 'Train it',
  lead: 'Here heads learn while you watch: a line that rises shows that a head takes a role.',
  paragraphs: [
    'The model consists of attention layers only, and for each task it is known which key every query should attend to. The lines beside a map show the share of the head’s [attention weight] on such keys. Drag the handle on the loss curve, or press an event, to see every head as it was after that step.',
    '[Induction|induction head] needs two heads in successive layers: the first attends to the previous token, the second then finds the token that followed the same token before. The arcs below the maps show both for one query: point at a token, or tap it.',
  ],
});
