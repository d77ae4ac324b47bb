/** The words around the acts. */
export const frame = {
  skip: 'Skip to the first act',
  navigation: 'Acts',
  /** Short names, by the ids of the acts. */
  acts: { toy: 'Toy example', heads: 'Heads', train: 'Train', prune: 'Prune' },
} as const;
