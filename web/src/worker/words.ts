import { translatable } from '../format/translation.js';

/** What acts say when their worker fails. */
export const words = translatable('worker', {
  slow: {
    title: 'The worker has not answered yet',
    advice:
      'There has been no answer for 20 seconds. The worker may still be loading, or the machine may be busy: the answer is used when it comes, and nothing is lost. Closing other tabs may help. Restart to replace the worker.',
  },
  lost: {
    title: 'The worker stopped',
    advice:
      'The browser terminated the worker, or its script did not load. The rest of the page is not affected. Restart to get a new worker: the same seed gives the same run.',
  },
  memory: {
    title: 'Out of memory',
    advice:
      'The browser could not give this page more memory. Close other tabs or choose fewer layers and heads, then restart.',
  },
  other: {
    title: 'Something went wrong',
    advice: 'Restart; if that does not help, reload the page.',
  },
  again: 'Restart',
});
