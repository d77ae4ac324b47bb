// One process of memory.mjs.
import * as headwise from '../../dist/index.js';
import { memoryOfForwards } from '../../tests/node/lib/watch-memory.mjs';

const [first, second] = await memoryOfForwards(headwise, JSON.parse(process.argv[2]));
console.log(JSON.stringify({ first, second }));
