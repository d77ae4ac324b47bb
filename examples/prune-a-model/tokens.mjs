// The tokens of a text as a JSON array, for the program in C++.
//
//   node examples/prune-a-model/tokens.mjs FOLDER TEXT > TOKENS
//
// FOLDER has the checkpoint's tokenizer.json.
import { readTokens } from './text.mjs';

const [, , folder, text] = process.argv;
if (text === undefined) throw new Error('usage: tokens.mjs FOLDER TEXT');
console.log(JSON.stringify(readTokens(folder, text)));
