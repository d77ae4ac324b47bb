/** All that the page says in Korean: files `words.ko.ts` of the acts and of the app. */
export const texts = Object.assign(
  {},
  ...Object.values(
    import.meta.glob<object>(
      ['../../acts/*/words.ko.ts', '../words.ko.ts', '../../questions/words.ko.ts'],
      { eager: true },
    ),
  ),
) as Record<string, unknown>;
