// Runs the suite with the options of `init` that are given as JSON, and prints its results.
import { readFileSync } from 'node:fs';
import * as headwise from 'headwise/models';
import { suite } from './suite.js';

const cases = JSON.parse(readFileSync(new URL('cases.json', import.meta.url), 'utf8'));
const results = await suite(headwise, cases, JSON.parse(process.argv[2]));
console.log(JSON.stringify(results));
