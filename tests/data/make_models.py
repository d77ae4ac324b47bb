"""Writes small random checkpoints to tests/data/models, with the results and all gradients that Hugging
Face Transformers computes for them in float64 (norms and rotary positions in float32):

    pip install torch transformers safetensors && python3 tests/data/make_models.py

Parameters are multiples of 2^-10 below 2, as those of half-precision checkpoints are. Files named -a and
-b have the config's fields as they are given here and as older files have them, the others as Transformers
saves them today.
"""

import json
import tempfile
from pathlib import Path

import torch
import transformers
from safetensors.torch import save_file

FOLDER = Path(__file__).parent / "models"
LENGTH, LENGTHS = 9, [9, 7]

LLAMA = {
    **{"hidden_size": 12, "vocab_size": 19, "num_hidden_layers": 2, "num_attention_heads": 4},
    **{"num_key_value_heads": 2, "intermediate_size": 20, "rms_norm_eps": 1e-6},
    **{"rope_theta": 10000.0, "max_position_embeddings": 32, "tie_word_embeddings": False},
}
QWEN2 = {"use_sliding_window": True, "sliding_window": 4, "max_window_layers": 1}
QWEN3 = {"head_dim": 8, **QWEN2}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 8}
LLAMA3 = {
    **{"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0},
    "original_max_position_embeddings": 16,
}
LINEAR = {"rope_type": "linear", "factor": 2.0}
GEMMA = {"head_dim": 6, "tie_word_embeddings": True}
GEMMA2 = {
    **{"query_pre_attn_scalar": 10, "sliding_window": 4, "attn_logit_softcapping": 2.0},
    **{"final_logit_softcapping": 3.0, "hidden_activation": "gelu_pytorch_tanh"},
}
GPT2 = {"n_embd": 8, "vocab_size": 13, "n_positions": 10, "n_layer": 2, "n_head": 2}
GPT_NEO = {
    **{"hidden_size": 12, "vocab_size": 19, "num_layers": 2, "num_heads": 4},
    **{"attention_types": [[["global", "local"], 1]], "window_size": 3, "intermediate_size": None},
    **{"layer_norm_epsilon": 1e-5, "max_position_embeddings": 10, "activation_function": "gelu_new"},
}
GPT_NEOX = {
    **{"hidden_size": 12, "vocab_size": 19, "num_hidden_layers": 2, "num_attention_heads": 2},
    **{"intermediate_size": 20, "layer_norm_eps": 1e-5, "rotary_pct": 0.75, "rotary_emb_base": 1000},
    **{"rope_scaling": LINEAR, "use_parallel_residual": True, "max_position_embeddings": 32},
    "hidden_act": "gelu",
}
BERT = {
    **{"hidden_size": 8, "vocab_size": 13, "num_hidden_layers": 2, "num_attention_heads": 2},
    **{"intermediate_size": 10, "max_position_embeddings": 14},
}
VIT = {
    **{"hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 10},
    **{"image_size": 6, "patch_size": 2, "num_channels": 2},
}
BART = {
    **{"d_model": 8, "vocab_size": 13, "max_position_embeddings": 14, "encoder_layers": 2},
    **{"decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 2},
    **{"encoder_ffn_dim": 10, "decoder_ffn_dim": 12},
}

MODELS = {
    "qwen3-a": {**LLAMA, **QWEN3, "rope_scaling": YARN},
    "llama-b": {**LLAMA, "hidden_size": 16, "rope_scaling": LLAMA3},
    "gemma-a": {**LLAMA, **GEMMA},
    "gemma2-a": {**LLAMA, **GEMMA, **GEMMA2},
    "gpt_neo-a": GPT_NEO,
    "gpt_neox-a": GPT_NEOX,
    "gpt_neox-b": {**GPT_NEOX, "use_parallel_residual": False},
    "llama-c": {**LLAMA, "attention_bias": True, "head_dim": 10, "rope_scaling": LINEAR},
    "llama-d": {**LLAMA, "hidden_size": 8, "mlp_bias": True, "hidden_act": "gelu"},
    "mistral-c": {**LLAMA, "head_dim": 6, "sliding_window": 3, "hidden_act": "relu"},
    "qwen2-c": {**LLAMA, "hidden_size": 8, **QWEN2, "tie_word_embeddings": True},
    "qwen3-c": {**LLAMA, "head_dim": 4, "attention_bias": True, "tie_word_embeddings": True},
    "gemma-c": {**LLAMA, **GEMMA, "attention_bias": True, "hidden_act": "silu"},
    "gemma2-c": {**LLAMA, **GEMMA, **GEMMA2, "attention_bias": True, "attn_logit_softcapping": None},
    "gpt2-c": {**GPT2, "scale_attn_by_inverse_layer_idx": True, "activation_function": "silu"},
    "gpt2-d": {**GPT2, "scale_attn_weights": False, "n_inner": 10, "tie_word_embeddings": False},
    "gpt_neox-c": {**GPT_NEOX, "attention_bias": False, "rope_scaling": YARN},
    "bert-c": {**BERT, "type_vocab_size": 3, "hidden_act": "relu", "layer_norm_eps": 1e-3},
    "roberta-c": {**BERT, "type_vocab_size": 1, "pad_token_id": 1},
    "camembert-c": {**BERT, "type_vocab_size": 1, "pad_token_id": 0},
    "xlm-roberta-c": {**BERT, "type_vocab_size": 1, "pad_token_id": 4},
    "distilbert-c": {
        **{"dim": 8, "vocab_size": 13, "n_layers": 2, "n_heads": 2, "hidden_dim": 10},
        "max_position_embeddings": 14,
    },
    "vit-c": {**VIT, "qkv_bias": False, "hidden_act": "gelu_new"},
    "bart-c": {**BART, "scale_embedding": True, "activation_function": "relu"},
    "marian-c": {**BART, "pad_token_id": 12, "activation_function": "gelu"},
}


def build(name, fields):
    config = transformers.AutoConfig.for_model(name.rpartition("-")[0], **json.loads(json.dumps(fields)))
    config._attn_implementation = "eager"
    kind = next(
        (each for mapping, each in (
            (transformers.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING, transformers.AutoModelForSeq2SeqLM),
            ({} if "bert" in name else transformers.MODEL_FOR_CAUSAL_LM_MAPPING,
             transformers.AutoModelForCausalLM),
        ) if type(config) in mapping),
        transformers.AutoModel,
    )
    model = kind.from_config(config).eval()
    for module in model.modules():
        if isinstance(module, torch.nn.Embedding):
            # PyTorch would leave out the gradients of the padding's row.
            module.padding_idx = None
    with torch.no_grad():
        for key, parameter in parameters_of(model):
            is_norm = parameter.ndim == 1 and key.endswith("weight") and "gemma" not in name
            random = (torch.randn(parameter.shape) * 0.4 + is_norm).clamp(-1.9, 1.9)
            random = torch.round(random * 1024) / 1024
            # A norm that holds 1 + weight returns 0 for -0.
            parameter.copy_(random + 0 if "gemma" in name and parameter.ndim == 1 else random)
    return model


def parameters_of(model):
    """With the bias of logits, which is a buffer."""
    biases = [(key, buffer) for key, buffer in model.named_buffers() if key == "final_logits_bias"]
    return [each for each in model.named_parameters() if each[1].requires_grad] + biases


def save(name, fields, model):
    """The checkpoint as Transformers saves it, but a ViT's with the names of its `state_dict`: it is saved
    with older ones."""
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        config = json.loads((Path(folder) / "config.json").read_text())
        (FOLDER / f"{name}.safetensors").write_bytes((Path(folder) / "model.safetensors").read_bytes())
    if config["model_type"] == "vit":
        save_file(model.state_dict(), FOLDER / f"{name}.safetensors")
    if name.endswith(("-a", "-b")):
        config = {"model_type": config["model_type"], "architectures": config["architectures"], **fields}
    (FOLDER / f"{name}.json").write_text(json.dumps(config, indent=1))


def run(name, model):
    """Inputs, results, and what the gradients are of."""
    config = model.config
    if config.model_type == "vit":
        pixels = torch.randn(2, config.num_channels, config.image_size, config.image_size)
        inputs, into = {"pixels": pixels}, {"pixel_values": pixels.double()}
    else:
        tokens = torch.randint(config.vocab_size, (2, LENGTH))
        mask = (torch.arange(LENGTH) < torch.tensor(LENGTHS)[:, None]).long()
        inputs = {"tokens": tokens, "mask": mask}
        if "roberta" in name or "camembert" in name:
            tokens[mask == 0] = config.pad_token_id
        into = {"input_ids": tokens, "attention_mask": mask}
        if name.startswith("bert"):
            inputs["types"] = into["token_type_ids"] = torch.randint(config.type_vocab_size, (2, LENGTH))
        if config.is_encoder_decoder:
            inputs["target"] = into["decoder_input_ids"] = torch.randint(config.vocab_size, (2, 6))
    for _, parameter in parameters_of(model.double()):
        parameter.requires_grad_()
    result = model(**into, output_attentions=True)
    results = {}
    if "logits" in result:
        results["logits"] = result.logits
        following = inputs.get("target", inputs["tokens"])[:, 1:].clone()
        if "target" not in inputs:
            following[mask[:, 1:] == 0] = -100
        loss = torch.nn.functional.cross_entropy(
            result.logits[:, :-1].flatten(0, 1), following.flatten()
        )
    else:
        results["hidden"] = result.last_hidden_state
        inputs["cotangent"] = torch.randn(result.last_hidden_state.shape)
        loss = (result.last_hidden_state * inputs["cotangent"].double()).sum()
    results["loss"] = loss
    if config.is_encoder_decoder:
        results["encoder"] = result.encoder_last_hidden_state
    for kind, field in (
        ("attention", "decoder_attentions" if config.is_encoder_decoder else "attentions"),
        ("cross", "cross_attentions"),
        ("encoder_attention", "encoder_attentions"),
    ):
        for layer, weights in enumerate(result.get(field) or ()):
            results[f"{kind}.{layer}"] = weights
    return inputs, results, loss


def make(name, fields):
    torch.manual_seed(sum(name.encode()))
    model = build(name, fields)
    save(name, fields, model)
    inputs, results, loss = run(name, model)
    loss.backward()
    expected = {f"in.{key}": value for key, value in inputs.items()}
    expected |= {f"out.{key}": value for key, value in results.items()}
    expected |= {
        f"grad.{key}": parameter.grad
        for key, parameter in parameters_of(model)
        if parameter.grad is not None
    }
    save_file(
        {
            key: value.detach().to(torch.float32 if value.is_floating_point() else torch.int32).contiguous()
            for key, value in expected.items()
        },
        FOLDER / f"{name}.expect.safetensors",
    )


if __name__ == "__main__":
    for name, fields in MODELS.items():
        make(name, fields)
