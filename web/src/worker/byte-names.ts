/** GPT-2 writes each byte as a visible character: printable ones as themselves, the others from U+0100 on, in order. */
const isPrintable = (byte: number): boolean =>
  (byte >= 33 && byte <= 126) || (byte >= 161 && byte !== 173);

const byCharacter = new Map<string, number>();
for (let byte = 0, next = 256; byte < 256; byte += 1) {
  byCharacter.set(String.fromCodePoint(isPrintable(byte) ? byte : next++), byte);
}

/**
 * Says which bytes a token has that is only a part of a character.
 *
 * @param name in the vocabulary: `âĢ` of GPT-2's alphabet, or `<0xE2>` of SentencePiece
 * @returns such as `‹E2 80›`; the name itself if it is neither
 */
export function byteName(name: string): string {
  const written = /^<0x([\dA-F]{2})>$/i.exec(name)?.[1];
  const bytes =
    written === undefined
      ? Array.from(name, (each) => byCharacter.get(each))
      : [parseInt(written, 16)];
  if (bytes.some((byte) => byte === undefined)) return name;
  return `‹${bytes.map((byte) => (byte ?? 0).toString(16).toUpperCase().padStart(2, '0')).join(' ')}›`;
}
