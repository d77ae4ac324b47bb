import type { Translation } from '../../../format/translation.js';
import type { Texts } from '../texts.js';
import { align, alignCorrections, alignIntro } from './align.js';
import { figure, figureIntro } from './figure.js';
import { heads, headsIntro, headsState } from './heads.js';
import { address, app, attention, attentionElement, first, glossary, ui, worker } from './page.js';
import { prune, pruneIntro } from './prune.js';
import { questions, questionsIntro } from './questions.js';
import { toy, toyExperiments, toyIntro } from './toy.js';
import { train, trainIntro } from './train.js';
import { why, whyIntro } from './why.js';
import { checkpoint, words, wordsIntro, wordsRoleNames } from './words.js';

/** The page in Korean. */
export const ko: Translation<Texts> = {
  address,
  align,
  alignCorrections,
  alignIntro,
  app,
  attention,
  attentionElement,
  checkpoint,
  figure,
  figureIntro,
  first,
  glossary,
  heads,
  headsIntro,
  headsState,
  prune,
  pruneIntro,
  questions,
  questionsIntro,
  toy,
  toyExperiments,
  toyIntro,
  train,
  trainIntro,
  ui,
  why,
  whyIntro,
  words,
  wordsIntro,
  wordsRoleNames,
  worker,
};
