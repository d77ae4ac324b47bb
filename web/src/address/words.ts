import { choiceOf, listOf, quoted } from '../format/sentences.js';
import { translatable } from '../format/translation.js';

/** Invalid values in the address, and what is used instead. */
export const words = translatable('address', {
  choice: (name: string, given: string, known: readonly (string | number)[], shown: string) =>
    `Invalid ${name} ${quoted(given)} in the address: expected ${choiceOf(known)}; using ${shown}.`,
  number: (name: string, given: string, min: number, max: number, shown: number) =>
    `Invalid ${name} ${quoted(given)} in the address: expected a number from ${min} to ${max}; using ${shown}.`,
  list: (name: string, given: string, shown: string) =>
    `Invalid ${name} ${quoted(given)} in the address; using ${shown === '' ? 'none' : shown}.`,
  needs: (given: string, other: string, wanted: number) =>
    `Ignored ${quoted(given)} in the address: it needs ${wanted} entries in ${other}, or none.`,
  hide: (given: string, known: readonly string[]) =>
    `Unknown name ${quoted(given)} to hide in the address: expected any of ${listOf(known)}.`,
});
