// Where examples/language-model is, and its program in C++.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { output, project } from './child.mjs';

const example = join(project, 'examples/language-model');
export const model = join(example, 'model');

/** A text that the model was not trained on, and its tokens. */
export const sample = readFileSync(join(example, 'held-out.txt'), 'utf8').trim();
export const sampleTokens = join(example, 'held-out.tokens');

/** Runs the program and gives what it printed; throws with its errors if it fails. */
export function program(...args) {
  const native = process.env.HEADWISE_NATIVE_BUILD;
  assert.ok(native, 'HEADWISE_NATIVE_BUILD names the folder of the native build');
  return output(join(native, 'examples', 'headwise-example-language-model'), args);
}

/** Round trips through a vocabulary that any text must survive. */
export function checkRoundTrips({ encode, decode }) {
  for (const text of [
    sample,
    ' naïve — “quoted” … 3.14 %',
    '日本語 🙂',
    '\n\ttabs  and   spaces',
  ]) {
    assert.equal(decode(encode(text)), text);
  }
  assert.ok(sample.length / encode(sample).length > 2.5, 'pieces are longer than letters');
}
