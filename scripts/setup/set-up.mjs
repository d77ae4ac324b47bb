// Does what a survey found to be missing.
import fs from 'node:fs';
import path from 'node:path';
import { checkSpace, wishesFor } from './disk.mjs';
import { findDebianMirror } from './distribution.mjs';
import { Interrupted, SetupError, explainFileError } from './errors.mjs';
import { lock } from './lock.mjs';
import { downloadDebs } from './private-apt.mjs';
import { runStep } from './steps.mjs';
import { survey } from './survey.mjs';
import { installPackages, rootPrefix } from './system-packages.mjs';
import { currentNodeSteps, debSteps, npmStep, trialStep } from './toolchain.mjs';

/** @typedef {ReturnType<typeof survey>} Survey */
/** @typedef {import('./commands.mjs').Context} Context */

/** @param {Survey} found */
const packagesOf = ({ missing }) => [
  ...new Set(missing.flatMap((need) => (need.package ? [need.package] : []))),
];

/**
 * Throws unless everything that is missing can be made or installed here.
 * @param {Survey} found
 */
export function checkPossible({ missing, distribution }) {
  const stuck = missing.filter((need) => {
    const installable = need.package && distribution.usesApt;
    return !installable && !need.step;
  });
  if (stuck.length === 0) return;
  const others = distribution.usesApt ? stuck : missing;
  throw new SetupError(
    'this system lacks what cannot be set up here; install and run it again:',
    others.map(({ what }) => `- ${what}`),
  );
}

/**
 * Runs the parts at the same time; the first to fail ends the others.
 * @param {AbortController} controller
 * @param {Promise<unknown>[]} parts
 */
async function together(controller, parts) {
  let first;
  const guarded = parts.map((part) =>
    part.catch((error) => {
      first ??= error;
      controller.abort(first);
    }),
  );
  await Promise.all(guarded);
  if (first) throw first;
}

/**
 * @param {Context} context
 * @param {Survey} found
 * @param {Promise<void>} archiveKnown
 */
async function unpackDebs(context, found, archiveKnown) {
  const isDue = (/** @type {{ name: string }} */ { name }) =>
    found.missing.some(({ step }) => step?.name === name);
  const due = debSteps().filter(isDue);
  if (due.length === 0) return;
  await archiveKnown;
  const mirror = findDebianMirror(found.distribution, context.env);
  if (!mirror) throw new SetupError("no mirror of Debian's archive is known here");
  const files = await downloadDebs(
    context,
    mirror,
    due.flatMap((step) => step.debs),
  );
  for (const step of debSteps(files).filter(isDue)) await runStep(context, step);
}

/**
 * @param {Survey} before
 * @param {{ progress: Context['progress'], interrupt: AbortSignal, env: NodeJS.ProcessEnv }} options
 */
export async function setUp(before, { progress, interrupt, env }) {
  checkPossible(before);
  const { folder, goal, distribution } = before;
  const prefix = packagesOf(before).length > 0 ? rootPrefix(packagesOf(before), env) : [];
  checkSpace(wishesFor(folder, before.missing));
  fs.mkdirSync(folder, { recursive: true });
  const { release } = await lock(folder, {
    signal: interrupt,
    onWait: (pid) => progress.line(`  waiting for another set-up (process ${pid}) to end`),
  }).catch((error) => {
    throw interrupt.aborted ? new Interrupted() : error;
  });
  const logFile = path.join(folder, 'setup.log');
  try {
    const found = survey(goal, env, distribution);
    const packages = packagesOf(found);
    const steps = found.missing.flatMap(({ step }) => (step ? [step] : []));
    fs.writeFileSync(logFile, '');

    const controller = new AbortController();
    interrupt.addEventListener('abort', () => controller.abort(interrupt.reason));
    /** @type {Context} */
    const context = {
      folder,
      env,
      progress,
      signal: controller.signal,
      log: (text) => fs.appendFileSync(logFile, text),
    };
    const installed =
      packages.length > 0 ? installPackages(context, packages, prefix) : Promise.resolve();
    const waitsForPackages = found.missing.some(({ early }) => early);
    const archiveKnown = waitsForPackages ? installed : Promise.resolve();
    const due = (/** @type {{ name: string }} */ { name }) => steps.some((s) => s.name === name);
    await together(controller, [
      installed,
      ...[npmStep, ...currentNodeSteps].filter(due).map((step) => runStep(context, step)),
      unpackDebs(context, found, archiveKnown),
    ]);
    if (due(trialStep)) await runStep(context, trialStep);
    for (const leftover of ['downloads', 'apt', 'partial']) {
      fs.rmSync(path.join(folder, leftover), { recursive: true, force: true });
    }
    const [still] = survey(goal, env, distribution).missing;
    if (still) throw new SetupError(`still missing after the set-up: ${still.what}`);
  } catch (error) {
    if (interrupt.aborted) throw new Interrupted();
    if (!(error instanceof SetupError) && !error.syscall) throw error;
    const message = error instanceof SetupError ? error.message : explainFileError(error);
    throw new SetupError(`${message} (log: ${logFile})`, error.details);
  } finally {
    release();
  }
}
