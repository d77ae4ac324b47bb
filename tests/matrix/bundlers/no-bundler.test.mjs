import { tryTools } from './lib/try-tools.mjs';
import { tools } from './tools.mjs';

tryTools(...tools['no-bundler']);
