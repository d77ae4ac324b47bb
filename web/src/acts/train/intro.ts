import { translatable } from '../../format/translation.js';

/** What the page says of the act before its code is loaded. */
export const intro = translatable('trainIntro', {
  title: 'Train it',
  lead: 'Here heads learn while you watch: a line that rises shows that a head takes a role.',
  paragraphs: [
    'The model consists of attention layers only, and for each task it is known which key every query should attend to. The lines below a head show the share of its attention weight on such keys.',
    'Induction needs two heads in successive layers: the first attends to the previous token, the second then finds the token that followed the same token before.',
  ],
});
