# Completion of the command facula in bash. Options are asked of the command itself.
_facula() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words=
    COMPREPLY=()
    # --name=value are three words for bash
    if [[ $word == = ]]; then
        word=
    elif [[ $before == = ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if ((COMP_CWORD == 1)); then
        words='train eval predict info devices bench data run --help --version'
    else
        case $before in
        --data | -d)
            mapfile -t COMPREPLY < <(compgen -W 'digits fashion-mnist mnist kmnist cifar10' -- "$word"; compgen -f -- "$word")
            return
            ;;
        --optimizer | -o) words='sgd adam adamw rmsprop adagrad' ;;
        --schedule | -S) words='constant step cosine one-cycle plateau' ;;
        --device | -D) words=$("${COMP_WORDS[0]}" devices 2>/dev/null | awk 'NR > 1 && !/not available:|^meta / { print $1 }') ;;
        --data-dir | -f)
            mapfile -t COMPREPLY < <(compgen -d -- "$word")
            return
            ;;
        data) [[ $word == -* ]] || words='show preview get' ;;
        train) [[ $word == -* ]] || words='cnn mlp linear' ;;
        esac
        if [[ -z $words && $word == -* ]]; then
            words=$("${COMP_WORDS[0]}" "$command" --help 2>/dev/null | grep -o -e '--[a-z-]*' | sort -u)
        fi
    fi
    if [[ -n $words ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}
complete -o filenames -F _facula facula
