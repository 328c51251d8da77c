#!/bin/bash
# Launches a small GPT on two nodes of eight.
GPUS_PER_NODE=8
NODES=${NODES:-2}
TP=${TP:-2}
LAYERS=$((4 * 6))
DTYPE="bf16"

DISTRIBUTED_ARGS=(
    --nproc_per_node $GPUS_PER_NODE
    --nnodes $NODES
)
MODEL_ARGS=(
    --num-layers $LAYERS
    --hidden-size 2048
    --num-attention-heads 16
    --seq-length 4096
    --max-position-embeddings 4096
    --position-embedding-type rope   # rotary
    --normalization RMSNorm
    --swiglu
    --disable-bias-linear
    --untie-embeddings-and-output-weights
    --vocab-size 50257
    --hidden-dropout 0.0
)
if [[ "$DTYPE" == "bf16" ]]; then
    MODEL_ARGS+=("--bf16")
fi
torchrun "${DISTRIBUTED_ARGS[@]}" pretrain_gpt.py \
    "${MODEL_ARGS[@]}" \
    --tensor-model-parallel-size $TP \
    --pipeline-model-parallel-size 2 \
    --sequence-parallel \
    --use-distributed-optimizer \
    --micro-batch-size 1 \
    --global-batch-size 64 \
    --lr 1.0e-4 \
    --save $1
