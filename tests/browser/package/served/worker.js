import { toy } from './toy.js';

postMessage(await toy());
