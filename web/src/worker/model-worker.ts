/** The worker of acts 3 and 4: models are trained and measured here, so that the page stays free. */
import { expose, proxy } from 'comlink';

import { transferErrors } from './error-transfer.js';
import { PruningService, type Services, TrainingService } from './services.js';

transferErrors();
expose({
  training: proxy(new TrainingService()),
  pruning: proxy(new PruningService()),
} satisfies Services);
