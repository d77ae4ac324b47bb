import { translatable } from '../format/translation.js';

/** What terms mean, in a sentence each; loaded when the first one is opened. */
export const words = translatable('glossary', {
  ablation:
    'Ablation removes a part of a model, such as a head, and measures how much worse the model gets.',
  'attention weight':
    'The attention weight is the share of a query’s attention that goes to a key, from 0 to 1; the weights of a query sum to 1.',
  'causal mask':
    'A causal mask lets a query attend to its own position and to earlier ones, but not to later ones.',
  'cross-attention':
    'In cross-attention the queries come from one sequence, the keys and values from another.',
  decoder: 'A decoder writes a sequence token by token; each token depends on those before it.',
  'dot product':
    'The dot product of two vectors multiplies them number by number and adds up the products.',
  encoder: 'An encoder reads a whole sequence and gives a vector for each of its tokens.',
  entropy:
    'Entropy measures how spread out weights are: 0 if one key has all the weight, and largest if all keys have the same.',
  gate: 'The gate of a head is a number that its output is multiplied by: 1 is open, 0 is shut.',
  gradient:
    'The gradient of a loss says, for each parameter, how the loss changes as the parameter grows.',
  head: 'A head is attention with query, key and value projections of its own; several side by side make multi-head attention.',
  'induction head':
    'An induction head finds an earlier occurrence of the present token and attends to the token that followed it.',
  key: 'The key of a token is the vector that queries are compared with.',
  mask: 'A mask excludes keys from attention: their score becomes −∞ and their weight 0.',
  'multi-head attention':
    'Multi-head attention runs several heads side by side, concatenates their outputs and combines them by W_o.',
  pooling: 'Attention pooling averages the values of all keys, weighted by the attention weights.',
  projection:
    'A projection is a linear layer: it multiplies a vector by a matrix of learned parameters.',
  query:
    'The query of a token is the vector that is compared with all keys to find what the token attends to.',
  score:
    'The score of a query for a key is their dot product divided by √d; softmax turns scores into attention weights.',
  'self-attention':
    'In self-attention queries, keys and values are projections of the same sequence.',
  softmax:
    'Softmax turns numbers into positive shares that sum to 1: it exponentiates each and divides by the total.',
  'valid length':
    'The valid length of a sample says how many of its keys are real; those after it are padding and are masked.',
  value: 'The value of a token is the vector that enters the weighted average.',
});
