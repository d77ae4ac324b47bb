import { HeadwiseError } from 'headwise';

import { words } from './words.js';

/**
 * Why something was not done, for a reader. The package names the arguments of its functions, which a reader
 * of the page has never seen: `said` then comes first, and the package's own words are the details.
 */
export function reasonOf(error: unknown, said: string): string {
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof HeadwiseError ? words.failure.reason(said, message) : message;
}
