import { translatable } from '../../format/translation.js';

/** What is said when all three causes are tried; it comes with their code. */
export const words = translatable('toyExperiments', {
  label: 'All three tried',
  before: 'ones, seed 1',
  seed: (seed: number) => `ones, seed ${seed}`,
  random: 'random input, seed 1',
  step: (step: number) => `ones, step ${step}`,
  guess: 'your prediction',
  difference: 'Heads differ by up to',
  verdict: (guess: string, isRight: boolean) =>
    `You predicted “${guess}”: ${isRight ? 'right' : 'wrong'}.`,
  why: 'If all keys are equal, k = W_k x is the same for every key, so all scores of a query are equal and its weights are uniform, whatever W_q and W_k are: drawn anew or trained. Only different keys get different scores.',
  skip: 'Skip to the result',
  again: 'Play again',
});
