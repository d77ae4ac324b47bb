// Writes what the page's act on pruning shows before anything is trained or measured: five planted models, and the
// language model of the example. Run it after `npm run build` when either changes: node scripts/prune-records.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';
import { textTokens } from '../examples/language-model/tokens.mjs';
import { fromRoot } from './lib/files.mjs';

/** The page imports this file. */
export const recordsFile = 'web/src/acts/prune/records.json';

const numSeeds = 5;
const example = 'examples/language-model';
const text = (...path) => readFileSync(fromRoot(example, ...path), 'utf8');
const json = (name) => JSON.parse(text('model', name));

/** The page's code: TypeScript, which Node does not read. */
const worker = async (name) =>
  (await runnerImport(fromRoot(`web/src/worker/${name}.ts`), { logLevel: 'error' })).module;

const rounded = (_key, value) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value);

/** One byte per weight, in base64. */
const packed = (weights) =>
  Buffer.from(Uint8Array.from(weights, (weight) => Math.round(weight / 257))).toString('base64');

/** Results of planted models. The first of them is the one that the page shows. */
export async function plantedRecords(seeds) {
  const [{ PlantedModel }, { study }, { packMaps }] = await Promise.all(
    ['planted-model', 'study', 'training'].map(worker),
  );
  const studies = [];
  for (const seed of seeds) {
    const planted = new PlantedModel(seed);
    const steps = study(planted, seed, seed === seeds[0]);
    let step = await steps.next();
    while (!step.done) step = await steps.next();
    planted.dispose();
    studies.push(step.value);
  }
  const { weights, tokens, targets, accuracyWithout } = studies[0].shown;
  const { length } = tokens;
  const maps = weights.map((data) => ({
    data,
    shape: [1, data.length / length ** 2, length, length],
  }));
  return {
    studies: studies.map((each) => ({ ...each, shown: undefined })),
    shown: {
      ...{ tokens: [...tokens], targets: [...targets], accuracyWithout },
      weights: packed(packMaps(maps)),
    },
  };
}

/** The language model of the example, with a text that it was not trained on. */
export async function openModel({ loadSafetensors, Transformer }) {
  const { HeldOut } = await worker('held-out');
  const { tensors } = loadSafetensors(readFileSync(fromRoot(example, 'model/model.safetensors')));
  const model = Transformer.fromPretrained({ config: json('config.json'), tensors });
  const { encode } = textTokens(json('tokenizer.json'), json('tokenizer_config.json'));
  return { model, heldOut: new HeldOut(model, encode(` ${text('held-out.txt')}`)) };
}

async function modelRecord(headwise) {
  const { studyModel } = await worker('model-study');
  const { model, heldOut } = await openModel(headwise);
  const { signal } = new AbortController();
  const subject = {
    numHeads: model.numHeads,
    measure: (measure, onProgress) => heldOut.measure(measure, { onProgress, signal }),
    loss: (gates) => heldOut.loss(gates),
  };
  return studyModel(subject, () => {});
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const headwise = await import('headwise/models');
  await headwise.init({ threads: 1 });
  const seeds = Array.from({ length: numSeeds }, (_, i) => i + 1);
  const records = { ...(await plantedRecords(seeds)), model: await modelRecord(headwise) };
  writeFileSync(fromRoot(recordsFile), `${JSON.stringify(records, rounded)}\n`);
}
