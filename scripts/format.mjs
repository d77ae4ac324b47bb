#!/usr/bin/env node
// Formats all files in place: Prettier and clang-format.
import { cppFiles } from './lib/files.mjs';
import { run } from './lib/process.mjs';
import { tool } from './lib/product-steps.mjs';
import { toolchain } from './lib/toolchain.mjs';

await tool(run, 'prettier/bin/prettier.cjs', '--write', '.', '--log-level=warn');
await run(toolchain().clangFormat, ['-i', ...cppFiles()]);
