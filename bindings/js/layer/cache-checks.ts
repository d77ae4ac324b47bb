import { fail, show } from '../runtime/errors.js';
import { isIntegerIn } from '../runtime/options.js';

/** Checks the number of positions to keep. */
export function checkKeptLength(length: number, held: number): void {
  if (!isIntegerIn(length, 0, held)) {
    fail('invalid-value', 'length', `an integer from 0 to ${held}`, show(length));
  }
}
