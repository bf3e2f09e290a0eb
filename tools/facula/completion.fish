# Completion of the command facula in fish. Options are asked of the command itself.

# The options of the command that is being typed, and what they do.
function __facula_options
    set -l words (commandline -opc)
    test (count $words) -gt 1; or return
    $words[1] $words[2] --help 2>/dev/null | awk '
        /^  (-., |    )--/ {
            name = $0; sub(/^  (-., |    )/, "", name); sub(/[= ].*/, "", name)
            text = $0; sub(/^  (-., |    )--[a-z-]*(=[^ ]*)? */, "", text)
            print name "\t" text
        }'
end

# Whether the word before the one that is being typed is one of these.
function __facula_after
    contains -- (commandline -opc)[-1] $argv
end

complete -c facula -n __fish_use_subcommand -f -a train -d 'train a network and print its accuracy'
complete -c facula -n __fish_use_subcommand -f -a eval -d 'evaluate a saved network'
complete -c facula -n __fish_use_subcommand -f -a predict -d 'classify images or rows of tables'
complete -c facula -n __fish_use_subcommand -f -a info -d 'list the contents of a safetensors file'
complete -c facula -n __fish_use_subcommand -f -a devices -d 'list the available devices'
complete -c facula -n __fish_use_subcommand -f -a bench -d 'measure a device'
complete -c facula -n __fish_use_subcommand -f -a data -d 'describe or draw a dataset'
complete -c facula -n __fish_use_subcommand -f -a run -d 'start a program as the ranks of a group'
complete -c facula -n 'string match -q -- "-*" (commandline -ct)' -f -a '(__facula_options)'
complete -c facula -n '__facula_after train' -a 'cnn mlp linear'
complete -c facula -n '__facula_after data' -f -a 'show preview get'
complete -c facula -n '__facula_after --data -d' -a 'digits fashion-mnist mnist kmnist cifar10'
complete -c facula -n '__facula_after --optimizer -o' -f -a 'sgd adam adamw rmsprop adagrad'
complete -c facula -n '__facula_after --schedule -S' -f -a 'constant step cosine one-cycle plateau'
complete -c facula -n '__facula_after --amp -a' -f -a 'off bf16 f16'
