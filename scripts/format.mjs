#!/usr/bin/env node
// Formats all files in place: Prettier and clang-format.
import { cppFiles, root } from './lib/files.mjs';
import { run } from './lib/process.mjs';
import { tool } from './lib/product-steps.mjs';
import { locateToolchain } from './setup/locate.mjs';

await tool(run, 'prettier/bin/prettier.cjs', '--write', '.', '--log-level=warn');
await run(locateToolchain(root).clangFormat, ['-i', ...cppFiles()]);
