// Runs the test files that are named, from the project's root, in this one process, so that they share
// what lib/shared.mjs starts. `node --test` would run each in a process of its own.
import { before } from 'node:test';
import { pathToFileURL } from 'node:url';
import './lib/shared.mjs';

let begin;
const areRead = new Promise((resolve) => (begin = resolve));
// Else what ends with the last test could end between two files.
before(() => areRead);

for (const file of process.argv.slice(2)) await import(pathToFileURL(file).href);
begin();
