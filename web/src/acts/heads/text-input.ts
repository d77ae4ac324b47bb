import { range } from 'd3-array';
import { positionalEncoding, Tensor } from 'headwise';

import { type AttentionInput, numHiddens } from '../../attention/input.js';
import { type TokenKind, tokensOf } from './typed-text.js';

/**
 * Self-attention over what was typed. Every token has random numbers of its own, the same wherever
 * it stands, plus the chapter's positional encoding if `hasPositions`; shorter lines are filled up
 * with zeros, which valid lengths then mask.
 */
export function textInput(
  typed: string,
  kind: TokenKind,
  hasPositions: boolean,
  seed: number,
): AttentionInput {
  const lines = tokensOf(typed, kind);
  const length = Math.max(0, ...lines.map((tokens) => tokens.length));
  const encoding = positionalEncoding(length, numHiddens);
  const embedded = Tensor.zeros([lines.length, length, numHiddens]);
  lines.forEach((tokens, sample) => {
    tokens.forEach((token, position) => {
      const embedding = Tensor.randn([numHiddens], seedOf(`${seed} ${token}`));
      for (const unit of range(numHiddens)) {
        embedded.data[(sample * length + position) * numHiddens + unit] =
          embedding.at(unit) + (hasPositions ? encoding.at(position, unit) : 0);
      }
    });
  });
  const tokens = lines.map((tokens) => range(length).map((position) => tokens[position] ?? '·'));
  return { queries: embedded, keys: embedded, values: embedded, tokens };
}

/** Equal words give equal seeds. Source: Fowler, Noll and Vo, the hash FNV-1a of 32 bits. */
function seedOf(words: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(words)) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return hash;
}
