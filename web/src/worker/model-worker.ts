/** The worker of acts that have models: they are trained, measured and read here, so that the page stays free. */
import { expose, proxy } from 'comlink';

import { transferErrors } from './error-transfer.js';
import {
  AlignmentService,
  LanguageModelService,
  PruningService,
  type Services,
  TrainingService,
} from './services.js';

transferErrors();
expose({
  training: proxy(new TrainingService()),
  pruning: proxy(new PruningService()),
  languageModel: proxy(new LanguageModelService()),
  alignment: proxy(new AlignmentService()),
} satisfies Services);
