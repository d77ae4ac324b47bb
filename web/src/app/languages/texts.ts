import type {
  corrections as alignCorrections,
  intro as alignIntro,
} from '../../acts/align/intro.js';
import type { words as align } from '../../acts/align/words.js';
import type { intro as figureIntro } from '../../acts/figure/intro.js';
import type { words as figure } from '../../acts/figure/words.js';
import type { intro as headsIntro } from '../../acts/heads/intro.js';
import type { words as headsState } from '../../acts/heads/state-words.js';
import type { words as heads } from '../../acts/heads/words.js';
import type { intro as pruneIntro } from '../../acts/prune/intro.js';
import type { words as prune } from '../../acts/prune/words.js';
import type { intro as questionsIntro } from '../../acts/questions/intro.js';
import type { words as questions } from '../../acts/questions/words.js';
import type { words as toyExperiments } from '../../acts/toy/experiments-words.js';
import type { intro as toyIntro } from '../../acts/toy/intro.js';
import type { words as toy } from '../../acts/toy/words.js';
import type { intro as trainIntro } from '../../acts/train/intro.js';
import type { words as train } from '../../acts/train/words.js';
import type { intro as whyIntro } from '../../acts/why/intro.js';
import type { words as why } from '../../acts/why/words.js';
import type { intro as wordsIntro } from '../../acts/words/intro.js';
import type { roleNames as wordsRoleNames, words } from '../../acts/words/words.js';
import type { words as address } from '../../address/words.js';
import type { words as app } from '../words.js';
import type {
  elementWords as attentionElement,
  words as attention,
} from '../../attention/words.js';
import type { words as first } from '../../first/words.js';
import type { words as glossary } from '../../ui/glossary-words.js';
import type { words as ui } from '../../ui/words.js';
import type { words as checkpoint } from '../../worker/checkpoint-words.js';
import type { words as worker } from '../../worker/words.js';

/** All that the page says, under the names by which `translatable` knows it: what a language has to have. */
export interface Texts {
  readonly address: typeof address;
  readonly align: typeof align;
  readonly alignCorrections: typeof alignCorrections;
  readonly alignIntro: typeof alignIntro;
  readonly app: typeof app;
  readonly attention: typeof attention;
  readonly attentionElement: typeof attentionElement;
  readonly checkpoint: typeof checkpoint;
  readonly figure: typeof figure;
  readonly figureIntro: typeof figureIntro;
  readonly first: typeof first;
  readonly glossary: typeof glossary;
  readonly heads: typeof heads;
  readonly headsIntro: typeof headsIntro;
  readonly headsState: typeof headsState;
  readonly prune: typeof prune;
  readonly pruneIntro: typeof pruneIntro;
  readonly questions: typeof questions;
  readonly questionsIntro: typeof questionsIntro;
  readonly toy: typeof toy;
  readonly toyExperiments: typeof toyExperiments;
  readonly toyIntro: typeof toyIntro;
  readonly train: typeof train;
  readonly trainIntro: typeof trainIntro;
  readonly ui: typeof ui;
  readonly why: typeof why;
  readonly whyIntro: typeof whyIntro;
  readonly words: typeof words;
  readonly wordsIntro: typeof wordsIntro;
  readonly wordsRoleNames: typeof wordsRoleNames;
  readonly worker: typeof worker;
}
