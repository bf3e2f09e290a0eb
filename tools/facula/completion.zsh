#compdef facula
# Completion of the command facula in zsh. Options are asked of the command itself.

# Options of a command, as "--name:what it does".
_facula_options() {
    "${words[1]}" "$1" --help 2>/dev/null | awk '
        /^  (-., |    )--/ {
            name = $0; sub(/^  (-., |    )/, "", name); sub(/[= ].*/, "", name)
            text = $0; sub(/^  (-., |    )--[a-z-]*(=[^ ]*)? */, "", text); gsub(/:/, "\\:", text)
            print name ":" text
        }'
}

_facula() {
    local -a commands options
    commands=(
        'train:train a network and print its accuracy' 'eval:evaluate a saved network'
        'predict:classify images or rows of tables' 'info:list the contents of a safetensors file'
        'devices:list the available devices' 'bench:measure a device' 'data:describe or draw a dataset'
        'run:start a program several times, as the ranks of a group'
    )
    if ((CURRENT == 2)); then
        _describe command commands
        return
    fi
    case ${words[CURRENT - 1]} in
    --data | -d) compadd digits fashion-mnist mnist kmnist cifar10; _files; return ;;
    --optimizer | -o) compadd sgd adam adamw rmsprop adagrad; return ;;
    --schedule | -S) compadd constant step cosine one-cycle plateau; return ;;
    --amp | -a) compadd off bf16 f16; return ;;
    --device | -D)
        compadd $("${words[1]}" devices 2>/dev/null | awk 'NR > 1 && !/not available:|^meta / { print $1 }')
        return
        ;;
    --data-dir | -f | --tensorboard) _files -/; return ;;
    esac
    if [[ ${words[CURRENT]} == -* ]]; then
        options=("${(@f)$(_facula_options "${words[2]}")}")
        _describe option options
        return
    fi
    case ${words[2]} in
    train) compadd cnn mlp linear ;;
    data) ((CURRENT == 3)) && compadd show preview get ;;
    esac
    _files
}

_facula "$@"
