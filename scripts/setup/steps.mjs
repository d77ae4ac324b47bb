// Steps that each leave some folders in the toolchain: built aside, moved in when complete, and only
// then stamped. A step that was interrupted is one that has not been done.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string} label what the user reads
 * @property {unknown} recipe all that the outputs depend on; another recipe makes the step due again
 * @property {string[]} outputs names in the toolchain folder
 * @property {(work: string, note: (text: string) => void,
 *   context: import('./commands.mjs').Context) => Promise<void>} build makes the outputs in the
 *   folder `work`
 */

/** @param {string} folder @param {{ name: string }} step */
const stampFile = (folder, step) => path.join(folder, 'stamps', `${step.name}.json`);

/** @param {unknown} recipe */
const hash = (recipe) => createHash('sha256').update(JSON.stringify(recipe)).digest('hex');

/**
 * @param {string} folder
 * @param {Pick<Step, 'name' | 'recipe' | 'outputs'>} step
 */
export function isDone(folder, step) {
  try {
    const stamp = JSON.parse(fs.readFileSync(stampFile(folder, step), 'utf8'));
    return (
      stamp.recipe === hash(step.recipe) &&
      step.outputs.every((output) => fs.existsSync(path.join(folder, output)))
    );
  } catch {
    return false;
  }
}

/**
 * @param {import('./commands.mjs').Context} context
 * @param {Step} step
 */
export async function runStep(context, step) {
  const { folder, signal, progress } = context;
  if (isDone(folder, step)) return;
  const work = path.join(folder, 'partial', step.name);
  const stamp = stampFile(folder, step);
  const clear = () => fs.rmSync(work, { recursive: true, force: true });
  clear();
  fs.mkdirSync(work, { recursive: true });
  fs.mkdirSync(path.dirname(stamp), { recursive: true });
  try {
    await progress.during(step.label, async (note) => {
      await step.build(work, note, context);
      signal.throwIfAborted();
      fs.rmSync(stamp, { force: true });
      for (const output of step.outputs) {
        fs.rmSync(path.join(folder, output), { recursive: true, force: true });
        fs.renameSync(path.join(work, output), path.join(folder, output));
      }
      fs.writeFileSync(`${stamp}.new`, JSON.stringify({ recipe: hash(step.recipe) }));
      fs.renameSync(`${stamp}.new`, stamp);
    });
  } finally {
    clear();
  }
}
