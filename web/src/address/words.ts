import { choiceOf, listOf, quoted } from '../format/sentences.js';

/** What of the address could not be taken as it was. */
export const words = {
  choice: (name: string, given: string, known: readonly (string | number)[], shown: string) =>
    `The address asks for ${name} ${quoted(given)}; it can be ${choiceOf(known)}, and is ${shown} here.`,
  number: (name: string, given: string, min: number, max: number, shown: number) =>
    `The address asks for ${name} ${quoted(given)}; it can be a number from ${min} to ${max}, and is ${shown} here.`,
  list: (name: string, given: string, shown: string) =>
    `The address asks for ${name} ${quoted(given)}; here they are ${shown}.`,
  text: (name: string, longest: number) =>
    `What the address holds as ${name} is longer than ${longest} characters and was cut.`,
  hide: (given: string, known: readonly string[]) =>
    `The address asks to hide ${quoted(given)}; what can be hidden is ${listOf(known)}.`,
} as const;
