const codeOf = (character: string): string =>
  `‹${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}›`;

/** A token as it is shown. Spaces and line feeds are marked where there is nothing else; other control characters always. */
export const visible = (token: string): string =>
  (token.trim() === '' ? token.replaceAll(' ', '␣').replaceAll('\n', '⏎') : token.trim()).replace(
    /\p{Cc}/gu,
    codeOf,
  );

/** The same as the next token: one that continues the last word says so. */
export const visibleNext = (token: string): string =>
  /^[\p{L}\p{N}]/u.test(token) ? `…${token}` : visible(token);
