// What records of tests/data say of tasks and models, as arguments of the package; as
// tests/native/model_table.cpp reads them.
import * as headwise from 'headwise';

const flag = (number) => (number === undefined ? undefined : number !== 0);

const tasks = {
  copy: [headwise.CopyTask, 'num_symbols', 'length', 'offset'],
  reverse: [headwise.ReverseTask, 'num_symbols', 'num_items'],
  sort: [headwise.SortTask, 'num_symbols', 'num_items'],
  associative_recall: [
    headwise.AssociativeRecallTask,
    ...['num_names', 'num_values', 'num_pairs', 'num_questions'],
  ],
  induction: [headwise.InductionTask, 'num_symbols', 'length', 'min_period', 'max_period'],
};

const camelCase = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

export function taskOf(record) {
  const [Task, ...names] = tasks[record.text('task')];
  return new Task(Object.fromEntries(names.map((name) => [camelCase(name), record.number(name)])));
}

/** With small sizes where the record says nothing. */
export const transformerOptionsOf = (record) => ({
  vocabularySize: record.number('vocabulary_size', 5),
  maxLength: record.number('max_length', 4),
  numHiddens: record.number('num_hiddens', 6),
  numHeads: record.number('num_heads', 2),
  numLayers: record.number('num_layers', 2),
  positions: record.text('positions'),
  causal: flag(record.number('causal')),
  layerNorm: flag(record.number('layer_norm')),
  bias: flag(record.number('bias')),
  dropout: record.number('dropout'),
  seed: record.number('seed', 7),
  optimizer: { learningRate: record.number('learning_rate') },
});

/** Numbers of the shape that key_shape tells. */
export const tokensOf = (record, key) => ({
  data: Float64Array.from(record.numbers(key)),
  shape: record.numbers(`${key}_shape`),
});
