// Three known results of interpretability, found again by captures, patches and attributions:
//
//   node examples/microscope/main.mjs [FOLDER] [options]
//
// It prints a table for each and draws it into FOLDER (build/microscope):
//
//   induction   Olsson et al. 2022: heads that continue what repeats (induction.mjs)
//   names       Wang et al. 2022: heads that name the indirect object (names.mjs)
//   pruning     Michel et al. 2019, Voita et al. 2019: how many heads can go (pruning.mjs)
//
//   --only A,B   only these
//   --seed N     of the model that learns names (1)
//   --quick      tiny budgets, to see that it runs
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { init } from 'headwise';
import { Checkpoint } from '../prune-a-model/checkpoint.mjs';
import { drawInduction, findInduction, printInduction } from './induction.mjs';
import { trainedModel } from './names-model.mjs';
import { drawNames, findNameMovers, printNames } from './names.mjs';
import { drawPruning, printPruning, pruneByAll } from './pruning.mjs';

const path = (/** @type {string} */ name) =>
  fileURLToPath(new URL(`../language-model/${name}`, import.meta.url));

const { values, positionals } = parseArgs({
  options: {
    only: { type: 'string' },
    seed: { type: 'string', default: '1' },
    quick: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const { quick, only } = values;
const seed = Number(values.seed);
const [folder = 'build/microscope'] = positionals;

/** Prints a result and returns its figure. */
const parts = {
  async induction() {
    const model = (await Checkpoint.read(path('model'))).model();
    const found = findInduction(
      model,
      quick ? { sequences: 2, period: 24, draws: 2 } : { sequences: 16, period: 50, draws: 12 },
    );
    model.dispose();
    printInduction(found);
    return drawInduction(found);
  },
  async names() {
    const steps = quick ? 2 : 1200;
    const file = join(folder, `names-${seed}-${steps}.safetensors`);
    const model = trainedModel(file, { steps, seed });
    const found = await findNameMovers(model, quick ? 8 : 200);
    model.dispose();
    printNames(found);
    return drawNames(found);
  },
  async pruning() {
    const curves = await pruneByAll(
      await Checkpoint.read(path('model')),
      path('held-out.tokens'),
      quick ? { sequences: 1, steps: 2, orders: 1 } : { sequences: 10, steps: 12, orders: 5 },
    );
    printPruning(curves);
    return drawPruning(curves);
  },
};

// Builds round differently, and training then takes another way: the same build gives the same model everywhere.
await init({ variant: 'simd' });
mkdirSync(folder, { recursive: true });
for (const [name, part] of Object.entries(parts)) {
  if (only !== undefined && !only.split(',').includes(name)) continue;
  console.log(`\n${name}`);
  const file = join(folder, `${name}.svg`);
  writeFileSync(file, await part());
  console.log(`Drawn in ${file}`);
}
