import { compute } from './threads.js';

onmessage = async ({ data }) => postMessage(await compute(data));
