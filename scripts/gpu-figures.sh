#!/bin/sh
# gpu-figures.sh BUILD [small]: a table of figures of cuda:0: with cuBLASLt and cuDNN, with our kernels alone, and
# PyTorch's, where it is here. Shares are of what NVIDIA's libraries reach, of the link to the host, and of the peak that follows
# from multiprocessors and clock. `small`: for the simulator of CUDA, where the numbers mean nothing.
set -u
build=$1
size=${2-}
folder=$build/tests/figures
mkdir -p "$folder"
rm -f "$folder"/*.txt
export FACULA_CACHE_DIR="$build/kernels"
"$build/bench/gpu" cuda:0 "$size" >"$folder/libraries.txt" || exit 1
FACULA_CUBLASLT=0 FACULA_CUDNN=0 "$build/bench/gpu" cuda:0 "$size" >"$folder/ours.txt" || exit 1
: >"$folder/torch.txt"
for python in build/venv/bin/python python3; do
    if [ -z "$size" ] && "$python" -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' 2>/dev/null; then
        "$python" bench/gpu_peer.py >"$folder/torch.txt"
        break
    fi
done

# Of the driver's tool: the link in GB/s of one direction, and the peak in TFLOP/s of f16 on tensor cores.
link=0 peak=0
query() { nvidia-smi -i 0 --query-gpu="$1" --format=csv,noheader,nounits 2>/dev/null | tr -d ' ' || true; }
if [ -z "$size" ] && command -v nvidia-smi >/dev/null; then
    units=$("$build/facula" devices | awk '$1 == "cuda:0" { print $(NF - 3) }')
    link=$(query pcie.link.gen.max,pcie.link.width.max | awk -F, '{ g[1] = .25; g[2] = .5; g[3] = .985; g[4] = 1.969; g[5] = 3.938; g[6] = 7.563
        print g[$1] * $2 }')
    # multiplications of f16 in a cycle, of a multiprocessor
    peak=$(query compute_cap,clocks.max.sm | awk -F, -v units="${units:-0}" '{ n["8.0"] = 1024; n["9.0"] = 2048; n["10.0"] = 4096
        print 2 * n[$1] * units * $2 * 1e-6 }')
fi
awk -F'\t' -v link="${link:-0}" -v peak="${peak:-0}" '
function cell(x) { return x == "" ? "-" : x }
function share(x, of) { return x == "" || of + 0 == 0 ? "-" : sprintf("%.0f %%", 100 * x / of) }
FNR == 1 { file++ }
FILENAME ~ /libraries/ { order[++count] = $1; a[$1] = $2 }
FILENAME ~ /ours/ { b[$1] = $2 }
FILENAME ~ /torch/ { c[$1] = $2 }
END {
    printf "%-22s %12s %12s %12s %12s %12s\n", "", "libraries", "our kernels", "PyTorch", "ours / lib.", "of the peak"
    for (i = 1; i <= count; i++) {
        name = order[i]
        product = name ~ /TFLOP/
        top = name ~ /copy_(in|out)/ ? link : name ~ /_b?f16_/ ? peak : name ~ /_tf32_/ ? peak / 2 : 0
        printf "%-22s %12s %12s %12s %12s %12s\n", name, a[name], cell(b[name]), cell(c[name]), product ? share(b[name], a[name]) : "-", share(a[name], top)
    }
}' "$folder/libraries.txt" "$folder/ours.txt" "$folder/torch.txt"
