/** All that the page says in Indonesian: files `words.id.ts` of the acts and of the app. */
export const texts = Object.assign(
  {},
  ...Object.values(
    import.meta.glob<object>(
      ['../../acts/*/words.id.ts', '../words.id.ts', '../../questions/words.id.ts'],
      { eager: true },
    ),
  ),
) as Record<string, unknown>;
