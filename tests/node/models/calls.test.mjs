import test from 'node:test';
import { init } from 'headwise';
import { replay } from '../lib/replay.mjs';

await init();

test('models of every option run, train and decode as in C++', (context) =>
  replay(context, 'models'));
