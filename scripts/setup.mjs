#!/usr/bin/env node
// Sets up what headwise is built and tested with. See --help.
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { Interrupted, SetupError, explainFileError } from './setup/errors.mjs';
import { createProgress, secondsSince } from './setup/progress.mjs';
import { setUp } from './setup/set-up.mjs';
import { goalNames, survey } from './setup/survey.mjs';

const help = `Usage: node scripts/setup.mjs [--for=GOAL] [--check]

Makes ready what headwise is built and tested with, and does only what is left to do.

  --for=build         what a build needs
  --for=test          what all tests need as well (the default)
  --for=bench         what the benchmark in a current Node needs beyond a build
  --for=bench-native  what the native benchmark needs beyond a build
  --check             says what is there and what is missing, changes nothing;
                      exits with 0 if nothing is missing, else with 1

An emcc of version 3.1.69 or newer on PATH is used as it is. Otherwise, on Debian and Ubuntu, an
Emscripten is put together in a folder that clones share: HEADWISE_TOOLCHAIN, or headwise/ in the
user's cache. The system gets the packages that it lacks, from its own sources.
`;

const projectRoot = fileURLToPath(new URL('..', import.meta.url));
const began = performance.now();

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        for: { type: 'string', default: 'test' },
        check: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (!goalNames.includes(values.for)) {
      throw new Error(`--for is one of ${goalNames.join(', ')}, not '${values.for}'`);
    }
    return values;
  } catch (error) {
    throw new SetupError(error.message.split('\n')[0]);
  }
}

/** @param {ReturnType<typeof survey>} found */
function report({ needs, missing, folder }) {
  for (const { what, found } of needs) {
    console.log(found ? `  ✓ ${what}: ${found}` : `  ✗ ${what}: missing`);
  }
  console.log(missing.length === 0 ? 'Nothing is missing.' : `${missing.length} missing.`);
  console.log(`The toolchain folder is ${folder}.`);
}

/**
 * The link by which builds find the folder.
 * @param {string} folder
 */
function linkToolchain(folder) {
  if (!fs.existsSync(folder)) return;
  const link = path.join(projectRoot, '.toolchain');
  const stat = fs.lstatSync(link, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink()) {
    if (fs.readlinkSync(link) === folder) return;
    fs.unlinkSync(link);
  } else if (stat) {
    throw new SetupError(`${link} is in the way: a link to the toolchain belongs there`);
  }
  fs.symlinkSync(folder, link);
}

async function main() {
  const { for: goal, check, help: wantsHelp } = readArguments();
  if (wantsHelp) return void process.stdout.write(help);
  const found = survey(goal);
  if (check) {
    report(found);
    process.exitCode = found.missing.length === 0 ? 0 : 1;
    return;
  }
  if (found.missing.length > 0) {
    const progress = createProgress(process.stdout);
    const interrupt = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.once(signal, () => interrupt.abort(new Interrupted()));
    }
    progress.line(`Setting up what headwise needs to ${goal}, in ${found.folder}`);
    try {
      await setUp(found, { progress, interrupt: interrupt.signal, env: process.env });
    } finally {
      progress.close();
    }
  }
  linkToolchain(found.folder);
  const where = fs.existsSync(found.folder)
    ? found.folder
    : 'all is on PATH, and CMake fetches the libraries that it does not find';
  console.log(`The toolchain is complete: ${where} (${secondsSince(began)})`);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof SetupError) && !error.syscall) throw error;
  const message = error instanceof SetupError ? error.message : explainFileError(error);
  console.error(`setup: ${message}`);
  for (const detail of error.details ?? []) console.error(`  ${detail}`);
  process.exitCode = error instanceof Interrupted ? 130 : 1;
}
