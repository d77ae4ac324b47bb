/** The words around the acts. */
export const frame = {
  skip: 'Skip to the first act',
  navigation: 'Acts',
} as const;
