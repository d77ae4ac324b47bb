import * as tf from '@tensorflow/tfjs-core';
import * as wasm from '@tensorflow/tfjs-backend-wasm';

export const loadTensorFlow = () => ({ tf, wasm });
