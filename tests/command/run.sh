#!/bin/sh
# run.sh FACULA: the command's arguments, exit codes and output.
facula=$(realpath "$1")
. "$(dirname "$0")/library.sh"

check 'version' run 0 --version
check 'version is a line' says '^facula [0-9]*\.[0-9]*\.[0-9]*$'
check 'help' run 0 --help
check 'help names the commands' says 'train MODEL'
check 'help of a command' run 0 train --help
cp "$out" "$folder/help"
check 'help as a command' run 0 help train
check 'help as a command: the same' cmp -s "$folder/help" "$out"
check 'help as a command, of all' run 0 help
check 'help as a command, of all: the commands' says 'train MODEL'
cp "$folder/help" "$out"
check 'help names options' says '--batch-size=N'
check 'help has examples' says '^  facula train --resume net.safetensors --epochs 20$'
check 'help by a letter' run 0 predict -h
check 'help by a letter: the same' says '^Usage: facula predict '

# the manual and the completion know what the command knows
tools=$(dirname "$0")/../../tools/facula
sed 's/\\-/-/g' "$tools/facula.1" >"$folder/manual"
check 'manual: headings begin a line' test "$(grep -c '\.S[HS]' "$folder/manual")" = "$(grep -c '^\.S[HS] [A-Z]' "$folder/manual")"
grep -o -e '--[a-z][a-z-]*' "$folder/manual" | sort -u >"$folder/told"
: >"$folder/known"
for command in train eval predict info devices bench data run; do
    run 0 $command --help
    for option in $(grep -o -e '--[a-z][a-z-]*' "$out" | sort -u | tee -a "$folder/known"); do
        check "manual: $command $option" grep -qx -e "$option" "$folder/told"
    done
done
check 'manual: nothing that is not there' test -z "$(sort -u "$folder/known" | comm -13 - "$folder/told")"
# completes WORD WORDS...: whether the last word, which is typed, can become WORD.
completes() {
    want=$1
    shift
    PATH=$(dirname "$facula"):$PATH bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _facula; printf "%s\n" "${COMPREPLY[@]}"' \
        "$tools/completion.bash" "$@" >"$out" 2>"$err" && grep -qxe "$want" "$out"
}
if command -v bash >/dev/null; then
    check 'completion: commands' completes predict facula pr
    check 'completion: models' completes mlp facula train m
    check 'completion: options before the network' completes --weight-decay facula train --we
    check 'completion: options' completes --weight-decay facula train cnn --we
    check 'completion: options of another command' completes --invert facula predict --
    check 'completion: values' completes one-cycle facula train cnn --schedule o
    check 'completion: values behind =' completes adamw facula train cnn --optimizer = adamw
    check 'completion: devices' completes late:1 facula train cnn --device l
    check 'completion: files' completes "$folder/manual" facula info "$folder/man"
else
    skip 'without bash nothing is completed'
fi
if command -v zsh >/dev/null; then
    check 'completion: zsh can read it' zsh -n "$tools/completion.zsh"
else
    skip 'without zsh its completion is not read'
fi
if command -v fish >/dev/null; then
    PATH=$(dirname "$facula"):$PATH fish -c "source $tools/completion.fish; complete -C 'facula train --weight'" >"$out" 2>"$err"
    check 'completion: fish' says '^--weight-decay.Weight decay'
else
    skip 'without fish nothing is completed in it'
fi

# a dataset's description, and a sheet of its images
mkdir -p "$folder/photos/cat" "$folder/photos/dog"
printf 'P2 4 3 255 %s\n' '0 0 0 0 255 255 255 255 0 0 0 0' >"$folder/photos/cat/1.pgm"
printf 'P2 2 2 255 255 255 255 255\n' >"$folder/photos/dog/1.pgm"
printf 'no image\n' >"$folder/photos/dog/2.png"
printf 'x,kind\n1,a\n3,b\n,a\n' >"$folder/table.csv"
check 'data: a folder' run 0 data show "$folder/photos"
check 'data: its samples' says ': 3 samples, of which 1 cannot be read$'
check 'data: its sizes' says '^sizes:  2 x 2 to 3 x 4 (height x width)$'
check 'data: its mean' says '^mean:   0.5000 0.5000 0.5000$'
check 'data: its classes' says '^  dog  *1$'
check 'data: what is broken' says '^broken: .*dog/2.png'
check 'data: a sheet' run 0 data preview "$folder/photos/../photos" --out "$folder/sheet.png"
check 'data: a table' run 0 data show "$folder/table.csv"
check 'data: its columns' says '^x  *number  *1  *1  *2  *1  *3$'
check 'data: its target' says '^kind  *text:2  *0  (target)$'
printf 'x,y\n1.5,-1\n2.5,0\n3.5,-1\n' >"$folder/signs.csv"
check 'data: a table of classes below 0' run 0 data show "$folder/signs.csv"
check 'data: a class below 0' says '^  -1  *2$'
check 'data: digits' run 0 data show digits
check 'data: digits: a class' says '^  3  *14[0-9]$'
check 'data: no CIFAR-100' run 1 data show cifar100 --data-dir "$folder/photos"
check 'data: no CIFAR-100: what is missing' complains 'fa_data_cifar100: there is no train.bin'
check 'data: no EMNIST' run 1 data show emnist-letters --data-dir "$folder/photos"
check 'data: no EMNIST: what is missing' complains 'there is no emnist-letters-train-images-idx3-ubyte'
check 'data: a sheet of digits' run 0 data preview digits --augment --out "$folder/sheet.png"
check 'data: a sheet that can be read' cmp -n 8 -s "$folder/sheet.png" "$(dirname "$0")/../images/zero.png"

# wrong arguments: 2, named on standard error, nothing on standard output
wrong() {
    message=$1
    shift
    check "wrong: $*" run 2 "$@"
    check "wrong: $*: said" complains "$message"
    check "wrong: $*: only there" silent
}
wrong 'command is missing'
wrong '"walk"' walk
wrong '--nonsense' --nonsense
wrong '"trian" (did you mean "train"?)' trian
wrong 'no option --epohcs (did you mean "epochs"?)' train mlp --epohcs=3
wrong '"cn" .*(did you mean "cnn"?)' train cn
wrong '"adma" .*(did you mean "adam"?)' train mlp --optimizer adma
wrong '"digit" .*(did you mean "digits"?)' train mlp --data digit
wrong 'no option -Z' train mlp -Z
wrong '--epochs: its N is missing' train mlp --epochs
wrong '--quiet has no value' train mlp --quiet=3
wrong '--s is the beginning of several options' train mlp --s 3
wrong '--config: none.conf: No such file' train mlp --config none.conf
printf 'learning-rate = 1\n' >"$folder/rate.conf"
wrong 'there is no option "learning-rate": `facula train --help` lists them$' train mlp --config "$folder/rate.conf"
wrong '--best and --save are the same file' train mlp --save x --best x
wrong 'model is missing' train
wrong '"gpt".*cnn, mlp, linear' train gpt
wrong '"more"' train mlp more
wrong '--data.*"cats".*digits' train mlp --data cats
wrong 'is a table, and cnn takes images' train cnn --data "$folder/table.csv"
wrong '--target: digits is no table' train mlp --target kind
wrong '--size: digits is no folder' train cnn --size 32
wrong '--size: .*too small' train cnn --data "$folder/photos" --size 7
wrong '--augment: .*is a table' train mlp --data "$folder/table.csv" --augment
wrong '--data-dir: .*is the data itself' train mlp --data "$folder/table.csv" --data-dir "$folder"
wrong 'neither a folder nor a .csv file' train mlp --data "$folder/photos/cat/1.pgm"
wrong '--epochs.*"many"' train mlp --epochs many
wrong '--epochs.*"-1"' train mlp --epochs=-1
wrong '--batch-size.*"0"' train mlp --batch-size 0
wrong '--lr.*"nan"' train mlp --lr nan
wrong '--momentum.*"2"' train mlp --momentum 2
wrong '--optimizer.*"sgdd"' train mlp --optimizer sgdd
wrong '--threads.*"0"' train mlp --threads 0
wrong '--workers.*"257"' train mlp --workers 257
wrong '--hidden.*"1e3"' train mlp --hidden 1e3
wrong '--seed.*"99999999999999999999"' train mlp --seed 99999999999999999999
wrong '--schedule.*"round".*constant, step' train mlp --schedule round
wrong '--momentum: adam has none' train mlp --optimizer adam --momentum 0.5
wrong '--warm-up does not go with --schedule=one-cycle' train mlp --schedule one-cycle --warm-up 1
wrong '--gamma does not go with --schedule=constant' train mlp --schedule constant --gamma 0.5
wrong '--gamma does not go with --schedule=cosine' train mlp --schedule cosine --gamma 0.5
wrong '--step-size does not go with --schedule=plateau' train mlp --schedule plateau --step-size 2
wrong '--patience does not go with --schedule=step' train mlp --schedule step --patience 2
wrong '--gamma: --schedule=plateau' train mlp --schedule plateau --gamma 1
wrong '--log: "log.txt"' train mlp --log log.txt
wrong '--save: "net.pt": .* safetensors: net.safetensors$' train mlp --save net.pt
wrong '--best: "a.b/net.npz": .* a.b/net.safetensors$' train mlp --best a.b/net.npz
wrong '"digits" is not expected: --data names the data' train mlp digits
wrong '--save: "" is no name' train mlp --epochs 0 --save ''
wrong '--resume: "" is no name' train mlp --epochs 0 --resume=
wrong '--device: "" is no name' bench --device ''
wrong '--quiet does not go with --json' train mlp --quiet --json
wrong '--data-dir is missing: the folder of cifar10, which `facula data get` downloads' train cnn --data cifar10
wrong 'file is missing' eval
wrong '"more"' eval net.safetensors more
wrong '--quiet does not go with --json' eval net.safetensors --quiet --json
wrong 'file is missing' predict
wrong 'image is missing' predict net.safetensors
wrong '--top.*"0"' predict --top 0 net.safetensors image.png
wrong 'file is missing' info
wrong '"more"' info net.safetensors more
wrong '"all"' bench all
wrong 'rubbish' bench --device rubbish
wrong 'rubbish' train mlp --device rubbish
wrong 'late:7' train mlp --device late:7
wrong 'there are: cpu, .*late:0' train mlp --device opencl:99
wrong 'late:7' train mlp --devices late:0,late:7
wrong 'late:1 is named twice' train mlp --devices late:1,late:0,late:1
wrong 'does not go with --devices' train mlp --devices late:0 --device late:1
wrong '"all"' devices all
wrong 'show, preview or get' data
wrong 'neither show nor preview' data list digits
wrong 'dataset is missing: a name .*, a folder of images, or a CSV file$' data show
wrong 'dataset is missing: a name such as mnist or cifar10$' data get
wrong '"more"' data show digits more
wrong '--out is missing' data preview digits
wrong '--data-dir is missing' data show mnist
wrong '--data-dir is missing' data show cifar100
wrong 'is a table' data preview table.csv --out "$folder/sheet.png"
FACULA_CURL_LIBRARY=/no/such/libcurl.so
export FACULA_CURL_LIBRARY
check 'data: a download without libcurl' run 1 data get mnist --data-dir "$folder/mnist"
check 'data: a download without libcurl says so' complains 'libcurl is needed to download https://'
unset FACULA_CURL_LIBRARY
check 'data: a download of another name' run 1 data get imagenet

wrong 'meta has shapes alone' train mlp --device meta
wrong 'meta has shapes alone' bench --device meta

# output that cannot be written: 1, said on standard error
full() {
    "$facula" "$@" >/dev/full 2>"$err"
    [ $? -eq 1 ]
}
unwritten() {
    : >"$out"
    check "a full disk: $*" full "$@"
    check "a full disk: $*: said" complains '^facula: cannot write to standard output'
}
unwritten --version
unwritten --help
unwritten --usage
unwritten devices
unwritten train --help
unwritten train linear --epochs 0 --quiet
unwritten train linear --epochs 1
closed() {
    "$facula" "$@" >&- 2>"$err"
    [ $? -eq "$want" ]
}
want=1
check 'no standard output' closed --version
want=2
check 'no standard output: wrong arguments stay that' closed walk

check 'devices' run 0 devices
check 'devices: what is told' says '^device  *name  *driver  *memory  *units  *clock  *bit-equal$'
check 'devices: cpu' says '^cpu  .* GiB .* yes$'
check 'devices: late' says '^late:1 '
check 'devices: what is not there, and why' says '^cuda  *\(not available: .\|.\)'
grep -o '^opencl:[0-9]*' "$out" >"$folder/opencl"
if [ -s "$folder/opencl" ]; then
    check 'devices: opencl' says '^opencl:0  *[^ ].* [0-9.]* GiB  *[0-9]*  *\([0-9]* MHz\|-\)  \(yes\|no\)$'
else
    check 'devices: no opencl, and why' says '^opencl  *not available: .'
fi
FACULA_OPENCL_LIBRARY=libno-such-library.so
export FACULA_OPENCL_LIBRARY
check 'run: the environment of ranks' run 0 run -n 3 -- sh -c 'echo rank $RANK of $WORLD_SIZE at $MASTER_ADDR'
check 'run: each rank' [ "$(sort "$out" | tr '\n' ' ')" = 'rank 0 of 3 at 127.0.0.1 rank 1 of 3 at 127.0.0.1 rank 2 of 3 at 127.0.0.1 ' ]
check 'run: a rank that fails' run 5 run --ranks 2 -- sh -c 'exit $((5 * RANK))'
check 'run: named' grep -q 'rank 1 failed with exit status 5' "$err"
check 'run: a rank that is killed' run 137 run -n 2 -- sh -c '[ $RANK = 0 ] || kill -9 $$'
check 'run: the signal' grep -q 'rank 1 was ended by signal 9' "$err"
check 'run: no such program' run 127 run -n 1 -- /no/such/program
wrong 'a program is missing' run -n 2
wrong '"0" is no number from 1' run -n 0 -- true
check 'devices without OpenCL' run 0 devices
check 'devices without OpenCL: why' says '^opencl  *not available: .*libno-such-library.so'
check 'devices without OpenCL: the others' says '^cpu  .* yes$'
check 'no OpenCL to train on' run 2 train mlp --device opencl:0
unset FACULA_OPENCL_LIBRARY
check 'no OpenCL to train on: why' complains '^facula: opencl: .*libno-such-library.so.*; there are: cpu, '

check 'no training' run 0 train linear --epochs 0 --quiet
check 'no training: chance' says '^test accuracy: [0-9.]*%$'
check 'train' run 0 train mlp --data digits
cp "$out" "$folder/first"
timeless >"$folder/epochs"
check 'train: the last line' sh -c "tail -n 1 '$out' | grep -qx 'test accuracy: 9[789]\.[0-9]%'"
check 'train: a line for each epoch' [ "$(grep -c '^epoch *[0-9]*/15  loss [0-9.]*  held out [0-9.]*%  [0-9]*/s  0:[0-9]* left$' "$out")" -eq 15 ]
check 'train: a line for each class' [ "$(grep -c '^[0-9]  *[01]\.[0-9]*  *[01]\.[0-9]*  *[01]\.[0-9]*  *3[0-9]$' "$out")" -eq 10 ]
check 'train: no curve in a file' sh -c "! grep -q '^loss' '$out'"
check 'train: plain lines in a file' sh -c "! LC_ALL=C grep -q '[[:cntrl:]]' '$out'"
check 'train: nothing on standard error' [ ! -s "$err" ]
check 'one thread' run 0 train mlp --data digits --threads 1
timeless >"$folder/one"
check 'one thread: the same' cmp -s "$folder/one" "$folder/epochs"
check 'workers' run 0 train mlp --data digits --workers 2
check 'workers: a report' grep -q '^data: waited [0-9.]* s for [0-9]* batches ([0-9.]*% of the time); reading' "$out"
sed -i '/^data: waited/d' "$out"
timeless >"$folder/workers"
check 'workers: the same' cmp -s "$folder/workers" "$folder/epochs"
check 'quiet' run 0 train mlp --data digits --quiet
check 'quiet: one line' sh -c "[ \"\$(wc -l <'$out')\" -eq 1 ] && cmp -s '$out' - <<END
$(tail -n 1 "$folder/first")
END"
check 'another seed' run 0 train mlp --data digits --seed 1
timeless >"$folder/other"
check 'another seed: another network' sh -c "! cmp -s '$folder/other' '$folder/epochs'"
check 'late device' run 0 train mlp --epochs 2 --device late:0 --quiet
late=$(last_line)
check 'as on the CPU' run 0 train mlp --epochs 2 --device cpu --quiet
check 'late device: the same' [ "$late" = "$(last_line)" ]
check 'two devices' run 0 train mlp --epochs 2 --devices late:0,late:1
check 'two devices: named' says ' held out, on late:0, late:1$'
timeless >"$folder/two"
check 'two devices, once more' run 0 train mlp --epochs 2 --devices late:0,late:1
timeless >"$folder/again"
check 'two devices: the same' cmp -s "$folder/two" "$folder/again"
check 'two processes' run 0 run -n 2 -- "$facula" train mlp --epochs 2
check 'two processes: one speaks' [ "$(grep -c '^test accuracy' "$out")" -eq 1 ]
check 'two processes: named' says ', 2 processes$'
timeless >"$folder/two"
check 'two processes, once more' run 0 run -n 2 -- "$facula" train mlp --epochs 2
timeless >"$folder/again"
check 'two processes: the same' cmp -s "$folder/two" "$folder/again"
# As MPICH's mpirun starts them.
two_of_mpirun() (
    export PMI_SIZE=2 MPI_LOCALNRANKS=2 FACULA_NUM_THREADS=1
    PMI_RANK=1 "$facula" train mlp --epochs 2 >"$folder/silent" 2>&1 &
    PMI_RANK=0 "$facula" train mlp --epochs 2 >"$out" 2>"$err" && wait $! && [ ! -s "$folder/silent" ]
)
check 'two processes of mpirun' two_of_mpirun
timeless >"$folder/again"
check 'two processes of mpirun: the same' cmp -s "$folder/two" "$folder/again"
check 'two processes, and two devices' run 2 run -n 2 -- "$facula" train mlp --devices late:0,late:1
for device in opencl:0 opencl:1; do
    if grep -qx $device "$folder/opencl"; then
        check "$device" run 0 train mlp --data digits --device $device
        timeless >"$folder/there"
        check "$device: as on the CPU, each epoch" cmp -s "$folder/there" "$folder/epochs"
        check "$device: nothing on standard error" [ ! -s "$err" ]
    else
        echo "train mlp --device $device: there is no $device here"
        echo '[  SKIPPED ] 1 test(s)'
    fi
done
check 'adam' run 0 train mlp --optimizer adam --quiet
check 'adam: learns' says '^test accuracy: 9[6789]\.'
for amp in bf16 f16; do
    check "$amp" run 0 train mlp --amp $amp --quiet
    check "$amp: learns" says '^test accuracy: 9[6789]\.'
done
check 'linear' run 0 train linear --hidden 3 --batch-size 64 --lr 0.5 --momentum 0 --epochs 20 --schedule constant --quiet
check 'linear: learns' says '^test accuracy: 9[56789]\.'

check 'a loss that grows without end' run 0 train linear --epochs 3 --lr 1e6 --weight-decay 1000 --schedule constant
check 'a loss that grows without end: said' complains '^facula: epoch [1-3]: the loss is .*smaller --lr'
check 'a loss that grows without end: once' [ "$(wc -l <"$err")" -eq 1 ]

: >"$out" # what the run before it said there is not to be taken for this one's
"$facula" train mlp --epochs 1000000 >"$out" 2>"$err" &
child=$!
while ! grep -q '^epoch' "$out" && kill -0 $child 2>/dev/null; do
    sleep 0.05
done
check 'whole lines while it runs' [ -s "$out" -a -z "$(tail -c 1 "$out")" ]
kill -INT $child
wait $child
check 'Ctrl-C ends it' [ $? -eq 1 ]
check 'Ctrl-C: said' complains 'stopped'
exit $status
