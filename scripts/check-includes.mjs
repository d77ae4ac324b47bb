#!/usr/bin/env node
// Fails on a C++ include that runs up the floors of docs/hacking.md.
import { readFileSync } from 'node:fs';
import { fromRoot, listFiles } from './lib/files.mjs';

/**
 * The floors from the lowest on: a file includes files of its own floor and of those below. What is named first counts,
 * so that folders stand before the folder that they lie in.
 */
const floors = [
  ['src/headwise/core/kernels/', 'src/headwise/core/memory/', 'src/headwise/core/parallel/'],
  [
    'src/headwise/core/random',
    'src/headwise/core/elementary_functions',
    'src/headwise/core/heap_sort',
  ],
  ['src/headwise/core/io/'],
  ['src/headwise/core/training/'],
  ['src/headwise/core/attention/', 'src/headwise/core/layouts/', 'src/headwise/core/tasks/'],
  ['src/headwise/core/models/', 'src/headwise/core/analysis/'],
  // The native interface, whose headers stand on top of the folder.
  ['src/headwise/api/', 'src/headwise/'],
  ['bindings/'],
];

const floorOf = (path) => floors.findIndex((each) => each.some((part) => path.startsWith(part)));

const problems = [];
for (const file of listFiles(['src', 'bindings'], (path) => /\.[ch]pp$/.test(path))) {
  for (const [, header] of readFileSync(fromRoot(file), 'utf8').matchAll(
    /^#include <(headwise\/[^>]+)>/gm,
  )) {
    const included = `src/${header}`;
    if (floorOf(included) > floorOf(file)) {
      problems.push(`${file} includes ${header}, which stands above it`);
    }
  }
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
