"""Reads an exported checkpoint as Transformers names it, and computes its model in float64:
python3 tests/data/read_export.py FOLDER TOKENS prints the logits, or BERT's hidden states.

FOLDER holds config.json and model.safetensors; TOKENS is a list in JSON. Families: gpt2, llama and
bert, of Transformers' modelling files. Needs NumPy.
"""

import json
import math
import struct
import sys
from pathlib import Path

import numpy as np

folder = Path(sys.argv[1])
tokens = np.array(json.loads(sys.argv[2]))
config = json.loads((folder / "config.json").read_text())
contents = (folder / "model.safetensors").read_bytes()
(size,) = struct.unpack("<Q", contents[:8])
header = json.loads(contents[8 : 8 + size])
header.pop("__metadata__", None)
pruned = {int(layer): len(heads) for layer, heads in config.get("pruned_heads", {}).items()}


def tensor(name):
    entry = header.pop(name)
    begin, end = (8 + size + offset for offset in entry["data_offsets"])
    return np.frombuffer(contents[begin:end], "<f4").astype(float).reshape(entry["shape"])


def linear(name, x):
    bias = tensor(name + ".bias") if name + ".bias" in header else 0
    return x @ tensor(name + ".weight").T + bias


def conv1d(name, x):
    return x @ tensor(name + ".weight") + tensor(name + ".bias")


def layer_norm(name, x, epsilon):
    centred = x - x.mean(-1, keepdims=True)
    normal = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + epsilon)
    return normal * tensor(name + ".weight") + tensor(name + ".bias")


def rms_norm(name, x):
    scale = np.sqrt((x**2).mean(-1, keepdims=True) + config["rms_norm_eps"])
    return x / scale * tensor(name + ".weight")


def gelu(x):
    return 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def gelu_new(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def split(x, heads):
    return x.reshape(len(x), heads, -1).swapaxes(0, 1)


def attend(q, k, v, causal):
    """Of (heads, length, head size) each; returns (length, heads · head size)."""
    k, v = (np.repeat(x, len(q) // len(x), 0) for x in (k, v))
    scores = q @ k.swapaxes(1, 2) / math.sqrt(q.shape[-1])
    if causal:
        scores = np.where(np.tri(len(tokens)) > 0, scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    pooled = weights / weights.sum(-1, keepdims=True) @ v
    return pooled.swapaxes(0, 1).reshape(len(tokens), -1)


def gpt2():
    epsilon = config["layer_norm_epsilon"]
    model = "transformer." if "transformer.wte.weight" in header else ""
    embedding = tensor(model + "wte.weight")
    x = embedding[tokens] + tensor(model + "wpe.weight")[: len(tokens)]
    for layer in range(config["n_layer"]):
        at = f"{model}h.{layer}."
        heads = config["n_head"] - pruned.get(layer, 0)
        qkv = conv1d(at + "attn.c_attn", layer_norm(at + "ln_1", x, epsilon))
        pooled = attend(*(split(part, heads) for part in np.split(qkv, 3, -1)), True)
        x = x + conv1d(at + "attn.c_proj", pooled)
        inner = gelu_new(conv1d(at + "mlp.c_fc", layer_norm(at + "ln_2", x, epsilon)))
        x = x + conv1d(at + "mlp.c_proj", inner)
    return layer_norm(model + "ln_f", x, epsilon) @ embedding.T


def llama():
    x = tensor("model.embed_tokens.weight")[tokens]
    head_size = config["hidden_size"] // config["num_attention_heads"]
    angles = np.outer(
        np.arange(len(tokens)), config["rope_theta"] ** (-np.arange(0, head_size, 2) / head_size)
    )
    cosines, sines = (np.tile(f(angles), 2) for f in (np.cos, np.sin))

    def rotate(x):
        turned = np.roll(x * np.repeat([1, -1], head_size // 2), head_size // 2, -1)
        return x * cosines + turned * sines

    for layer in range(config["num_hidden_layers"]):
        at = f"model.layers.{layer}."
        inputs = rms_norm(at + "input_layernorm", x)
        q, k, v = (linear(f"{at}self_attn.{name}_proj", inputs) for name in "qkv")
        q, k, v = (split(rows, rows.shape[1] // head_size) for rows in (q, k, v))
        x = x + linear(at + "self_attn.o_proj", attend(rotate(q), rotate(k), v, True))
        inputs = rms_norm(at + "post_attention_layernorm", x)
        gate = linear(at + "mlp.gate_proj", inputs)
        inner = gate / (1 + np.exp(-gate)) * linear(at + "mlp.up_proj", inputs)
        x = x + linear(at + "mlp.down_proj", inner)
    return linear("lm_head", rms_norm("model.norm", x))


def bert():
    epsilon = config["layer_norm_eps"]
    x = tensor("embeddings.word_embeddings.weight")[tokens]
    x = x + tensor("embeddings.position_embeddings.weight")[: len(tokens)]
    x = x + tensor("embeddings.token_type_embeddings.weight")[0]
    x = layer_norm("embeddings.LayerNorm", x, epsilon)
    for layer in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{layer}."
        heads = config["num_attention_heads"] - pruned.get(layer, 0)
        names = (f"{at}attention.self.{name}" for name in ("query", "key", "value"))
        pooled = attend(*(split(linear(name, x), heads) for name in names), False)
        pooled = linear(at + "attention.output.dense", pooled)
        x = layer_norm(at + "attention.output.LayerNorm", x + pooled, epsilon)
        inner = linear(at + "output.dense", gelu(linear(at + "intermediate.dense", x)))
        x = layer_norm(at + "output.LayerNorm", x + inner, epsilon)
    return x


result = {"gpt2": gpt2, "llama": llama, "bert": bert}[config["model_type"]]()
# What is left was not read.
print(json.dumps({"result": result.ravel().tolist(), "unread": sorted(header)}))
