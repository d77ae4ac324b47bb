// Writes what the heads of a trained model look at in a sentence, as one HTML file that needs no network:
//
//   node examples/attention-view/main.mjs attention.html 'the people were at work, and the people were good.'
//
// The model is that of examples/language-model; --model=FOLDER is another checkpoint with config.json,
// model.safetensors, tokenizer.json and tokenizer_config.json.
import { existsSync, openAsBlob, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { init, loadSafetensors, Transformer } from 'headwise';
import { textTokens } from '../language-model/tokens.mjs';
import { attentionPage } from './html.mjs';

const { values, positionals } = parseArgs({
  options: {
    model: {
      type: 'string',
      default: fileURLToPath(new URL('../language-model/model', import.meta.url)),
    },
  },
  allowPositionals: true,
});
const [file, sentence = 'the people were at work, and the people were good.'] = positionals;

const pathOf = (/** @type {string} */ name) => join(values.model, name);
const read = (/** @type {string} */ name) => JSON.parse(readFileSync(pathOf(name), 'utf8'));

for (const name of ['tokenizer.json', 'tokenizer_config.json']) {
  if (!existsSync(pathOf(name))) {
    console.error(`${pathOf(name)} is missing: the checkpoint needs its tokenizer's files`);
    process.exit(1);
  }
}

await init();
const checkpoint = await loadSafetensors(await openAsBlob(pathOf('model.safetensors')));
const model = Transformer.fromPretrained({
  config: read('config.json'),
  tensors: await checkpoint.read(),
});
const text = textTokens(read('tokenizer.json'), read('tokenizer_config.json'));
// With a space before it, as within a text: else many a first word is in pieces.
const ids = text.encode(` ${sentence}`);
const { attentionWeights } = model.forward([ids], { returnWeights: true });
model.dispose();

const html = attentionPage({
  title: `What each head attends to in “${sentence}”`,
  weights: attentionWeights, // of each layer (1, heads, queries, keys)
  tokens: ids.map((id) => text.decode([id])),
});
if (file === undefined) process.stdout.write(html);
else {
  writeFileSync(file, html);
  console.log(`wrote ${file}: ${Math.round(html.length / 1000)} KB`);
}
