#!/usr/bin/env node
// Builds the package (dist/) and the page (build/page/). See --help.
import { giveUp, names, readOptions } from './lib/command.mjs';
import { endWithSignals } from './lib/process.mjs';
import { productSteps } from './lib/product-steps.mjs';
import { runSteps, withNeeds } from './lib/steps.mjs';

const help = `Usage: npm run build [-- --only=package]

Builds what is not up to date: the package into dist/, the page into build/page/. Sets up what the
machine lacks and installs the development dependencies first, if need be.

  --only=STEP   only this step and what it needs; the steps are setup, dependencies, wasm, package
                and page
`;

const options = readOptions(help, { only: { type: 'string', multiple: true } });
endWithSignals();

let steps = productSteps('build');
try {
  if (options.only) steps = withNeeds(steps, names(options.only));
} catch (error) {
  giveUp(error.message);
}
const { failed } = await runSteps(steps);
if (failed) process.exit(1);
