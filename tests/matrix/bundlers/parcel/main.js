import { expose } from './shared/app.js';

expose();
