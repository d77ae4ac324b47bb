import { expose } from '../shared/toy.js';

expose();
