/** All that the page says in Simplified Chinese: files `words.zh.ts` of the acts and of the app. */
export const texts = Object.assign(
  {},
  ...Object.values(
    import.meta.glob<object>(
      ['../../acts/*/words.zh.ts', '../words.zh.ts', '../../questions/words.zh.ts'],
      { eager: true },
    ),
  ),
) as Record<string, unknown>;
