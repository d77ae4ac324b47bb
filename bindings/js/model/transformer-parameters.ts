import type { LayerSettings } from '../layer/layer-options.js';
import { parametersOf, type Parameter } from '../layer/parameters.js';
import type { Absent, Address } from '../runtime/memory.js';
import { core } from '../runtime/wasm.js';
import type { TransformerSettings } from './transformer-options.js';

/** A parameter of a model, and where in WebAssembly memory it and its gradient lie. */
export interface ModelParameter extends Omit<Parameter, 'number'> {
  readonly values: () => Address;
  /** Absent if there is none yet. */
  readonly gradient: () => Address | Absent;
}

/** Names and shapes of what a model has beside its layers, in the order of `ModelParameters` of the C++ library. */
function ownParameters(settings: TransformerSettings): Omit<Parameter, 'number'>[] {
  const { vocabularySize, maxLength, numLayers, positions, layerNorm } = settings;
  const { numHiddens } = settings.layer;
  const names = Array.from({ length: numLayers }, (_, i) => `layers.${i}.norm`);
  const norms = layerNorm ? [...names, 'norm'] : [];
  return [
    { name: 'embedding.weight', shape: [vocabularySize, numHiddens] },
    ...(positions === 'learned'
      ? [{ name: 'position.weight', shape: [maxLength, numHiddens] }]
      : []),
    ...norms.flatMap((norm) =>
      ['weight', 'bias'].map((part) => ({ name: `${norm}.${part}`, shape: [numHiddens] })),
    ),
    { name: 'unembedding.weight', shape: [vocabularySize, numHiddens] },
  ];
}

/** The parameters of a model whose layers have these settings. */
export function transformerParameters(
  model: Address,
  settings: TransformerSettings,
  layers: readonly LayerSettings[],
): ModelParameter[] {
  const loaded = core();
  const { numHiddens } = settings.layer;
  const sizes = { querySize: numHiddens, keySize: numHiddens, valueSize: numHiddens };
  const own = ownParameters(settings).map((parameter, place) => ({
    ...parameter,
    values: () => loaded.modelParameter(model, place),
    gradient: () => loaded.modelGradient(model, place),
  }));
  const ofLayers = layers.flatMap((layer, i) => {
    const address = loaded.modelLayer(model, i);
    return parametersOf(layer, sizes).map(({ number, name, shape }) => ({
      name: `layers.${i}.attention.${name}`,
      shape,
      values: () => loaded.parameter(address, number),
      gradient: () => loaded.gradient(address, number),
    }));
  });
  return [...own, ...ofLayers];
}
