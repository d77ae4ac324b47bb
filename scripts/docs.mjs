#!/usr/bin/env node
// Builds the documentation site (build/docs/). See --help.
import { giveUp, readOptions } from './lib/command.mjs';
import { docsSteps } from './lib/docs-steps.mjs';
import { endWithSignals } from './lib/process.mjs';
import { productSteps } from './lib/product-steps.mjs';
import { runSteps } from './lib/steps.mjs';

const help = `Usage: npm run docs [-- --base=PATH]

Builds the documentation site into build/docs/: guides, the references of JavaScript and C++, and
the page; static files for any host. Sets up, installs and builds what it needs first.

  --base=PATH   where on its host the site will be, such as /headwise/; / if left out
`;

const { base } = readOptions(help, { base: { type: 'string', default: '/' } });
if (!/^\/([\w.~-]+\/)*$/.test(base)) {
  giveUp(`--base: expected a path with a slash at both ends, such as /headwise/, got ${base}`);
}
endWithSignals();
const { failed } = await runSteps([...productSteps('build'), ...docsSteps({ base })]);
if (failed) process.exit(1);
