const codeOf = (character: string): string =>
  `‹${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}›`;

/** A token as it is shown. Spaces and line feeds are marked where there is nothing else; other control characters always. */
export const visible = (token: string): string =>
  (token.trim() === '' ? token.replaceAll(' ', '␣').replaceAll('\n', '⏎') : token.trim()).replace(
    /\p{Cc}/gu,
    codeOf,
  );

const isContinued = (token: string): boolean => /^[\p{L}\p{N}·]/u.test(token);

/** Whether tokens contain the spaces before words. Tokens of some tokenizers are words without them. */
export const haveSpaces = (tokens: readonly string[]): boolean =>
  tokens.some((token) => token.startsWith(' '));

/** Whether a text has words that are split. */
export const hasPieces = (tokens: readonly string[]): boolean =>
  haveSpaces(tokens) && tokens.slice(1).some(isContinued);

/**
 * The same as the next token: one that continues the last word says so.
 *
 * @param among other next tokens
 */
export const visibleNext = (token: string, among: readonly string[] = [' ']): string =>
  isContinued(token) && haveSpaces(among) ? `…${token}` : visible(token);
