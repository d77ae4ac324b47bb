// Models with one or two large sizes, up to products beyond 2^32: an error, or a model that gives what it should.
import assert from 'node:assert/strict';
import test from 'node:test';
import { HeadwiseError, Transformer } from 'headwise';
import '../lib/ballast.mjs';
import { checkBystanders } from '../lib/bystanders.mjs';
import { Random } from '../lib/random.mjs';

const large = [2 ** 15, 2 ** 16, 2 ** 16 + 1, 2 ** 20, 2 ** 29, 2 ** 30, 2 ** 30 + 2, 2 ** 31 - 1];
const names =
  'vocabularySize maxLength numHiddens numHeads numKvHeads headSize numLayers ffnHiddens segments positionOffset ' +
  'encoder.numHeads encoder.numLayers encoder.ffnHiddens rotary.size';

function randomOptions(random) {
  const small = () => random.pick(1, 2, 3, 4);
  const even = () => 2 * small();
  const options = {
    ...{ vocabularySize: small(), maxLength: small(), numHiddens: even(), numHeads: small() },
    ...{ numKvHeads: random.pick(1, undefined), headSize: random.pick(even(), undefined) },
    ...random.pick({ positions: 'rotary', rotary: { size: random.pick(even(), undefined) } }, {}),
    encoder: random.pick({ numHeads: random.pick(undefined, small(), even()) }, undefined),
    seed: 1,
  };
  for (let i = 0; i < random.below(3); i++) {
    const [name, of] = random
      .pick(...names.split(' '))
      .split('.')
      .reverse();
    const owner = of ? options[of] : options;
    if (owner) owner[name] = random.pick(...large);
  }
  return options;
}

/** Two samples that were given the same: equal, and numbers. */
function checkAlike({ data }) {
  assert.ok(data.every(Number.isFinite));
  assert.deepEqual(data.slice(0, data.length / 2), data.slice(data.length / 2));
}

test('options of any size are refused, or give a model and a cache', () => {
  const random = new Random(1);
  let successes = 0;
  for (let round = 0; round < 3000; round++) {
    const options = randomOptions(random);
    let model;
    try {
      model = new Transformer(options);
      const length = Math.min(options.maxLength, 4);
      const tokens = Array(2).fill(Array.from({ length }, (_, i) => i % options.vocabularySize));
      const result = model.forward(tokens, { source: options.encoder && tokens });
      Object.values(result).forEach(checkAlike);
      model.createCache({ batchSize: options.maxLength, maxLength: options.maxLength }).dispose();
      successes++;
    } catch (error) {
      if (!(error instanceof HeadwiseError)) throw error;
      assert.ok(['invalid-option', 'out-of-memory'].includes(error.code), error.stack);
    } finally {
      model?.dispose();
    }
    if (round % 500 === 0) checkBystanders();
  }
  checkBystanders();
  assert.ok(successes > 400, `${successes} succeeded`);
});
