// A layer's state dict in the names and layouts of other systems.
import { Tensor } from 'headwise';

const transposed = ({ data, shape: [rows, columns] }) =>
  new Tensor(
    Array.from(
      { length: data.length },
      (_, i) => data[(i % rows) * columns + Math.floor(i / rows)],
    ),
    [columns, rows],
  );

/** Concatenates the rows of tensors. */
const stacked = (...tensors) =>
  new Tensor(
    tensors.flatMap(({ data }) => Array.from(data)),
    [tensors.reduce((rows, { shape }) => rows + shape[0], 0), ...tensors[0].shape.slice(1)],
  );

/** The dict with other names, without tensors that have none. */
const renamed = (dict, names) =>
  Object.fromEntries(
    Object.entries(names)
      .filter(([name]) => dict[name])
      .map(([name, other]) => [other, dict[name]]),
  );

const stackOf = (dict, what) =>
  stacked(...['W_q', 'W_k', 'W_v'].map((name) => dict[`${name}.${what}`]));

/** W_q, W_k and W_v in one, and W_o, by these names; bias_k and bias_v by their own. */
function packed(dict, weight, bias, output) {
  const others = { 'W_o.weight': `${output}.weight`, 'W_o.bias': `${output}.bias` };
  return {
    [weight]: stackOf(dict, 'weight'),
    ...(dict['W_q.bias'] && { [bias]: stackOf(dict, 'bias') }),
    ...renamed(dict, { ...others, bias_k: 'bias_k', bias_v: 'bias_v' }),
  };
}

/** Layouts with all of d2l's parameters; tests/native/io has the others. */
export const layouts = {
  d2l: (dict) => dict,
  'nn.MultiheadAttention, packed': (dict) =>
    packed(dict, 'in_proj_weight', 'in_proj_bias', 'out_proj'),
  'GPT-2': (dict) => {
    const all = packed(dict, 'c_attn.weight', 'c_attn.bias', 'c_proj');
    const weights = ['c_attn.weight', 'c_proj.weight'].map((name) => [name, transposed(all[name])]);
    const beside = { bias: Tensor.ones([1, 1, 4, 4]), masked_bias: Tensor.full([], -10000) };
    return { ...all, ...Object.fromEntries(weights), ...beside };
  },
};

/** The dict with a prefix before each name. */
export const prefixed = (prefix, dict) =>
  Object.fromEntries(Object.entries(dict).map(([name, tensor]) => [prefix + name, tensor]));
