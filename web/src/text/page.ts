import { choiceOf, listOf, quoted } from './words.js';

export const page = {
  document: {
    title: 'headwise: multi-head attention, head by head',
    description:
      'Multi-head attention running in your browser: the weights of every head, drawn on one scale, from the toy example of Dive into Deep Learning to any seed, number of heads and mask.',
    noScript: 'This page computes everything it shows. It needs JavaScript.',
  },

  header: {
    name: 'headwise',
    title: 'Multi-head attention, head by head',
    intro: [
      'Attention compares a query with every key, turns the scores into weights that sum to one, and averages the values by these weights. *Multi-head* attention does so several times at once. Each head looks at the same input through projections of its own, so that each can look for something else, and what they find is joined at the end.',
      'This page runs such a layer and draws what every head does. No picture here was prepared: each number comes from a forward pass made in your browser, when the page opened or when you last moved a control.',
    ],
  },

  /** What of the address could not be taken as it was. */
  corrections: {
    choice: (name: string, given: string, known: readonly (string | number)[], shown: string) =>
      `The address asks for ${name} ${quoted(given)}; it can be ${choiceOf(known)}, and is ${shown} here.`,
    number: (name: string, given: string, min: number, max: number, shown: number) =>
      `The address asks for ${name} ${quoted(given)}; it can be a number from ${min} to ${max}, and is ${shown} here.`,
    list: (name: string, given: string, shown: string) =>
      `The address asks for ${name} ${quoted(given)}; here they are ${shown}.`,
    file: (name: string) =>
      `This view was made from the file ${quoted(name)}, which no link can hold. Choose the file again to see it.`,
    pasted:
      'This view was made from pasted numbers, more than a link can hold. Paste them again to see it.',
    tooManyNumbers: (longest: number) =>
      `The numbers in the address are longer than ${longest} characters and were not taken.`,
    numbers: (reason: string) => `The numbers in the address cannot be read. ${reason}`,
    hide: (given: string, known: readonly string[]) =>
      `The address asks to hide ${quoted(given)}; what can be hidden is ${listOf(known)}.`,
    text: (name: string, longest: number) =>
      `What the address holds as ${name} is longer than ${longest} characters and was cut.`,
    typed: (name: string, lines: number, tokens: number, characters: number) =>
      `What the address holds as ${name} is longer than ${lines} lines of ${tokens} tokens and ${characters} characters and was cut.`,
  },

  goal: { name: 'Your goal', reached: 'Reached' },

  failure: {
    title: 'The layer cannot run here',
    unsupported:
      'It is written for WebAssembly SIMD, which this browser lacks. Chrome and Edge have it from version 91, Firefox from 89, Safari from 16.4.',
    loading: 'Its WebAssembly file did not load. Check the connection, then load the page again.',
    other: 'Something went wrong that should not have. Loading the page again may help.',
    details: (message: string, code: string | undefined) =>
      code === undefined ? message : `${message} (${code})`,
  },

  footer: {
    source:
      'After the chapter “Multi-Head Attention” of *Dive into Deep Learning* by Aston Zhang, Zachary C. Lipton, Mu Li and Alexander J. Smola (Cambridge University Press, 2023), with its example and its names; the words are our own.',
    chapter: 'Read the chapter at d2l.ai',
  },
} as const;
