#!/bin/sh
# files.sh FACULA: what the command saves and reads: networks, runs that go on, logs, images, JSON.
facula=$(realpath "$1")
events=${2:+$(realpath "$2")}
images=$(realpath "$(dirname "$0")/../images")
. "$(dirname "$0")/library.sh"
cd "$folder" || exit 2

# json FILTER: whether the output is one JSON document of which jq's filter is true.
json() { ! command -v jq >/dev/null || [ "$(jq -s "length == 1 and (.[0] | $1)" "$out" 2>"$err")" = true ]; }

check 'train and save' run 0 train cnn --epochs 4 --save net.safetensors
check 'train and save: said' says '^saved: net.safetensors$'
accuracy=$(last_line)

# info
check 'info' run 0 info net.safetensors
check 'info: tensors' says '^model.0.weight  *f32  *(16, 1, 3, 3)  *576$'
check 'info: buffers' says '^model.1.running_mean  *f32  *(16)  *64$'
check 'info: texts' says '^run.model  *cnn$'
check 'info as JSON' run 0 info net.safetensors --json
check 'info as JSON: it is' json '.metadata["run.model"] == "cnn" and (.tensors[] | select(.name == "model.0.weight") | .shape == [16, 1, 3, 3])'
# eight bytes of a head's length, the head, and as many bytes as it tells of
head='{"a":{"dtype":"F8_E8M0","shape":[2,3],"data_offsets":[0,6]},"b":{"dtype":"U8","shape":[2],"data_offsets":[6,8]}}'
printf "$(printf '\\%o' ${#head})"'\0\0\0\0\0\0\0%s12345678' "$head" >strange.safetensors
check 'info of a dtype that is not there' run 0 info strange.safetensors
check 'info of a dtype that is not there: told' says '^a  *F8_E8M0  *(2, 3)  *6  cannot be loaded: no such dtype here$'
check 'info of a dtype that is not there: the others' says '^b  *u8  *(2)  *2$'
check 'info of a dtype that is not there: as JSON' run 0 info strange.safetensors --json
check 'info of a dtype that is not there: it is' json '.tensors[0] | .dtype == "F8_E8M0" and .bytes == 6 and has("cannot_be_loaded")'
check 'info: no such file' run 1 info none.safetensors
check 'info: no such file: said' complains '^facula: .*none.safetensors: .*No such file'
head -c 3000 net.safetensors >cut.safetensors
for command in 'info cut.safetensors' 'eval cut.safetensors' 'predict cut.safetensors none.png' \
    'train --resume cut.safetensors'; do
    check "a damaged file: $command" run 1 $command
    check "a damaged file: $command: said" complains '^facula: .*cut.safetensors'
done

# eval
check 'eval' run 0 eval net.safetensors
check 'eval: the accuracy is that of the training' [ "$(last_line)" = "$accuracy" ]
check 'eval: a table' says '^mean  '
check 'eval, quiet' run 0 eval net.safetensors --quiet
check 'eval, quiet: a line' [ "$(cat "$out")" = "$accuracy" ]
check 'eval as JSON' run 0 eval net.safetensors --json
check 'eval as JSON: it is' json '(.classes | length == 10) and ([.confusion[][]] | add) == .samples and .accuracy > 0.9'
check 'eval on a late device' run 0 eval net.safetensors --quiet --device late:0
check 'eval on a late device: the same' [ "$(cat "$out")" = "$accuracy" ]
check 'eval: a folder is missing' run 2 eval net.safetensors --data mnist
check 'eval: a folder is missing: said' complains '--data-dir is missing: the folder of mnist'
check 'eval: no such folder' run 1 eval net.safetensors --data mnist --data-dir .
check 'eval: data that does not fit' complains 'the network takes 1 x 8 x 8 .* mnist has 1 x 28 x 28'

# tables: the class is whether the number is large, or a text says so; some fields are missing
i=0
echo 'size,"the, text",noise,kind' >table.csv
while [ $i -lt 100 ]; do
    echo "$i,$([ $i -lt 80 ] && echo small || echo),$((i * 37 % 11)),$([ $i -lt 50 ] && echo few || echo 'a\lot')"
    i=$((i + 1))
done >>table.csv
printf 'kind,"the, text",size,noise\n,small,2,\n,"what?",98,\n,,70,\n' >rows.csv
check 'a table' run 0 train mlp --data table.csv --save table.safetensors
check 'a table: samples' says '^mlp on table.csv, 80 samples and 20 held out, on '
check 'a table: learns' says '^test accuracy: \(9[05]\|100\)\.0%$'
learned=$(last_line)
check 'a table: classes' says '^a\\lot  '
check 'a table: eval' run 0 eval table.safetensors --quiet
check 'a table: eval: the held-out rows' [ "$(cat "$out")" = "$learned" ]
check 'a table: goes on' run 0 train --resume table.safetensors --epochs 41 --quiet
check 'a table: predict' run 0 predict table.safetensors rows.csv --quiet
check 'a table: predict: columns by name' [ "$(tr '\n' ' ' <"$out")" = 'few a\lot a\lot ' ]
check 'a table: predict: rows' run 0 predict table.safetensors rows.csv
check 'a table: predict: rows: named' says '^rows.csv:3  a\\lot  *[0-9.]*%$'
check 'a table: predict as JSON' run 0 predict table.safetensors rows.csv --json
check 'a table: predict as JSON: it is' json 'length == 3 and .[1].file == "rows.csv:2" and .[1].classes[0].name == "a\\lot"'
cp table.csv copy.csv
check 'a table: eval of another one' run 0 eval table.safetensors --data copy.csv
check 'a table: eval of another one: all rows' says '^mlp of table.csv on copy.csv, 100 samples, on '
check 'a table: an image' run 1 predict table.safetensors none.pgm
printf 'size,noise\n1,2\n' >less.csv
check 'a table: a column less' run 1 predict table.safetensors less.csv
check 'a table: a column less: said' complains '^facula: less.csv has no column "the, text"'
printf 'size,"the, text",noise\nmany,small,2\n' >less.csv
check 'a table: text for numbers' run 1 predict table.safetensors less.csv
check 'a table: text for numbers: said' complains 'the column "size" has text'
check 'a table: another target' run 0 train linear --data table.csv --target noise --epochs 1 --quiet
check 'a table: the images of a network' run 1 eval net.safetensors --data table.csv
check 'a table: the images of a network: said' complains 'the network takes images, and table.csv has rows of a table'
printf 'x,y\n1,0.5\n2,1.5\n' >less.csv
check 'a table: no classes' run 1 train mlp --data less.csv
check 'a table: no classes: said' complains 'the target "y" has numbers that are not whole'
printf 'x,y\n1,1\n2,1\n' >less.csv
check 'a table: one class' run 1 train mlp --data less.csv
check 'a table: one class: said' complains 'all values of the target "y" are the same'

# folders of images: those of a class have one line, in one direction
for i in 0 1 2 3 4 5 6 7 8 9; do
    for part in train test; do
        mkdir -p lines/$part/across lines/$part/down
        awk -v at=$i 'BEGIN { print "P2 12 12 255"; for (i = 0; i < 144; i++) print (int(i / 12) == at + 1) ? 255 : at }' \
            >lines/$part/across/$i.pgm
        awk -v at=$i 'BEGIN { print "P2 12 12 255"; for (i = 0; i < 144; i++) print (i % 12 == at + 1) ? 255 : at }' \
            >lines/$part/down/$i.pgm
    done
done
check 'a folder' run 0 train cnn --data lines --epochs 8 --batch-size 4 --save lines.safetensors
check 'a folder: its parts' says '^cnn on lines, 20 samples and 20 held out, on '
check 'a folder: learns' says '^test accuracy: \(9[05]\|100\)\.0%$'
learned=$(last_line)
check 'a folder: eval' run 0 eval lines.safetensors --quiet
check 'a folder: eval: the same' [ "$(cat "$out")" = "$learned" ]
check 'a folder: workers' run 0 train cnn --data lines --epochs 8 --batch-size 4 --workers 2 --quiet
check 'a folder: workers: the same' [ "$(cat "$out")" = "$learned" ]
check 'a folder: gray images of their size' sh -c "'$facula' info lines.safetensors | grep -q '^run.input  *1 12 12$'"
check 'a folder: another one, all of it' run 0 eval lines.safetensors --data lines/train
check 'a folder: another one, all of it: samples' says 'on lines/train, 20 samples'
check 'a folder: without parts' run 0 train mlp --data lines/train --size 8 --augment --epochs 1
check 'a folder: without parts: a fifth' says '^mlp on lines/train, 16 samples and 4 held out'
mv lines/test/down lines/test/up
check 'a folder: an unknown class' run 1 eval lines.safetensors
check 'a folder: an unknown class: said' complains 'lines has a class "up", which the network does not know'
echo rubbish >lines/train/down/10.pgm
check 'a folder: a bad image' run 1 train cnn --data lines/train --epochs 1
check 'a folder: a bad image: named' complains 'lines/train/down/10.pgm: .*: --skip-broken leaves out what cannot be read$'
check 'a folder: predict' run 1 predict lines.safetensors lines/train
check 'a folder: predict: said' complains 'lines/train is a folder: name the images in it, such as lines/train/\*$'
mv lines/test/up lines/test/down
echo rubbish >lines/test/across/0.pgm
check 'a folder: broken images' run 0 train mlp --data lines --epochs 3 --batch-size 1 --skip-broken --save broken.safetensors
check 'a folder: broken images: counted' says '^skipped: 1 samples and 1 held out, which cannot be read'
rm lines/train/down/10.pgm
check 'a folder: broken images: eval' run 0 eval broken.safetensors --skip-broken --workers 2
check 'a folder: broken images: eval: counted' says '^skipped: 1 samples, which cannot be read'
rm lines/test/across/0.pgm
check 'a folder: broken images: as without them' run 0 eval broken.safetensors --skip-broken
check 'a folder: broken images: none' sh -c "! grep -q '^skipped' '$out'"
check 'a table: broken images' run 2 train mlp --data table.csv --skip-broken
check 'a table: broken images: said' complains '--skip-broken: table.csv is no folder of images'

# a data set in files
if [ -d /usr/share/datasets/fashion-mnist ]; then
    check 'fashion-mnist' run 0 train linear --data fashion-mnist --epochs 1 --batch-size 256 --save fashion.safetensors
    check 'fashion-mnist: learns' sh -c "tail -n 1 '$out' | grep -q '^test accuracy: 8[0-9]'"
    learned=$(last_line)
    check 'fashion-mnist: names of classes' says '^Ankle boot  *9 '
    check 'fashion-mnist: eval' run 0 eval fashion.safetensors --quiet
    check 'fashion-mnist: eval: the same' [ "$(cat "$out")" = "$learned" ]
else
    skip 'without the data set fashion-mnist (dataset-fashion-mnist) nothing is trained on it'
fi
check 'a data set that is not there' run 1 train linear --data fashion-mnist --data-dir .
check 'a data set that is not there: said' complains '^facula: fa_data_fashion_mnist: there is no train-images'

# folders with long and strange names; black photographs of airplanes
deep=$(printf '%0250d/' 1 2 3 4 5)
mkdir -p "$deep" "$(printf 'f\377')"
head -c 92190 /dev/zero | tee "$deep/test_batch.bin" >"$deep/data_batch_1.bin"
check 'a long folder' run 0 train linear --data cifar10 --data-dir "$deep" --epochs 1 --save deep.safetensors
check 'a long folder: goes on' run 0 train --resume deep.safetensors --epochs 2
check 'a long folder: eval' run 0 eval deep.safetensors
check 'a folder in no known writing' run 2 train linear --data cifar10 --data-dir "$(printf 'f\377')" --save f.safetensors
check 'a folder in no known writing: said' complains '^facula: --data-dir: its name is not UTF-8'

# a data set without samples
mkdir empty
for part in train t10k; do
    printf '\0\0\010\003\0\0\0\0\0\0\0\034\0\0\0\034' >empty/$part-images-idx3-ubyte
    printf '\0\0\010\001\0\0\0\0' >empty/$part-labels-idx1-ubyte
done
check 'no samples' run 1 train linear --data mnist --data-dir empty --epochs 1
check 'no samples: said' complains '^facula: mnist has no samples to learn from$'

# JSON, logs
check 'train as JSON' run 0 train cnn --epochs 4 --json --log log.csv
check 'train as JSON: it is' json '.settings.model == "cnn" and .settings.epochs == 4 and (.epochs | length == 4) and (.epochs[3].accuracy == .accuracy) and .seconds > 0 and (.epochs[3].loss < .epochs[0].loss)'
check 'log: its head' [ "$(head -n 1 log.csv)" = 'epoch,loss,accuracy,lr,samples_per_second,seconds' ]
check 'log: a line for each epoch' [ "$(grep -c '^[1-4],[0-9.e-]*,0\.[0-9]*,[0-9.e-]*,[0-9.]*,[0-9.]*$' log.csv)" -eq 4 ]
check 'log, lines of JSON' run 0 train linear --epochs 3 --quiet --log log.jsonl
check 'log, lines of JSON: quiet' [ "$(wc -l <"$out")" -eq 1 ]
cp log.jsonl "$out"
! command -v jq >/dev/null || check 'log, lines of JSON: they are' [ "$(jq -s '[.[].epoch] == [1, 2, 3]' log.jsonl)" = true ]
check 'a log that cannot be written' run 1 train linear --epochs 1 --log none/log.csv
check 'a log that cannot be written: said' complains '^facula: none/log.csv: No such file'
check 'a network that cannot be saved' run 1 train linear --epochs 1 --save none/net.safetensors
check 'a network that cannot be saved: said' complains '^facula: .*none/net.safetensors'
check 'a network that cannot be saved: before the first epoch' sh -c "! grep -q '^epoch' '$out'"
printf 'x%0500d\n' 7 >kept.csv
check 'a network that cannot be saved: with a log' run 1 train linear --epochs 1 --save none/net.safetensors --log kept.csv
check 'a network that cannot be saved: its log is left alone' [ "$(wc -c <kept.csv)" -eq 502 ]
strange=$(printf 'a\377b\303\244"c')
check 'JSON of a name in no known writing' run 0 train linear --epochs 1 --quiet --save "$strange.safetensors"
check 'JSON of a name in no known writing: of a file' run 0 info "$strange.safetensors" --json
check 'JSON of a name in no known writing: it is shown' says '"file": "a\\ufffdbä\\"c.safetensors"'
check 'a curve, when asked' env LC_ALL=C "$facula" train linear --epochs 3 --curve >"$out" 2>"$err"
"$facula" train linear --epochs 3 --curve >"$out" 2>"$err"
check 'a curve: of nine lines' [ "$(grep -A 9 '^loss$' "$out" | grep -c '[|│]')" -eq 8 ]

# files that are there, options in a file, early stopping, what is written of a run
cp net.safetensors there.safetensors
check 'a file that is there' run 2 train linear --epochs 1 --save there.safetensors </dev/null
check 'a file that is there: said' complains '^facula: there.safetensors exists: --force overwrites it'
check 'a file that is there: it stays' cmp -s net.safetensors there.safetensors
check 'a file that is there: for --best' run 2 train linear --epochs 1 --best there.safetensors </dev/null
check 'a file that is there: --force' run 0 train linear --epochs 1 --save there.safetensors --force
check 'a file that is there: overwritten' sh -c '! cmp -s net.safetensors there.safetensors'
printf '# a run\nmodel = linear\n\nepochs=2   # not many\nquiet = true\n' >run.conf
check 'options in a file' run 0 train --config run.conf
check 'options in a file: quiet' [ "$(wc -l <"$out")" -eq 1 ]
check 'options in a file: with others' run 2 train mlp --config run.conf --json
check 'options in a file: with others: said' complains '--quiet does not go with --json'
printf 'quiet = false\njson = true\nmodel = "linear"\nepochs = '"'2'"'\ndata = "digits" # quoted\n' >run.conf
check 'options in a file: a flag that is off' run 0 train mlp --config run.conf --epochs 1
check 'options in a file: read' json '.settings.model == "mlp" and .settings.epochs == 1'
for line in 'epohcs = 3' 'epochs' 'epochs = many' 'quiet = perhaps' 'config = run.conf' 'top = 3'; do
    echo "$line" >run.conf
    check "options in a file: $line" run 2 train mlp --config run.conf
    check "options in a file: $line: said" complains '^facula: run.conf:1: '
done
check 'early stopping' run 0 train linear --lr 1e-9 --schedule constant --stop-early 2 --epochs 9
check 'early stopping: after the third epoch' [ "$(grep -c '^epoch' "$out")" -eq 3 ]
check 'early stopping: said' says '^stopped early: no improvement for 2 epochs$'

# predict: the first digit of the data set that is shown as a 0 is drawn here, larger, and dark on light
pgm() {
    printf 'P2 8 8 16\n%s\n' "$1"
}
zero='0 0 5 13 9 1 0 0  0 0 13 15 10 15 5 0  0 3 15 2 0 11 8 0  0 4 12 0 0 8 8 0  0 5 8 0 0 9 8 0  0 4 11 0 1 12 7 0  0 2 14 5 10 12 0 0  0 0 6 13 10 0 0 0'
pgm "$zero" >zero.pgm
pgm "$(for v in $zero; do printf '%d ' $((16 - v)); done)" >dark.pgm
echo rubbish >rubbish.png
check 'predict' run 0 predict net.safetensors zero.pgm
check 'predict: a zero' says '^zero.pgm  0  *[0-9][0-9.]*%$'
check 'predict: dark on light is noticed' run 0 predict net.safetensors dark.pgm --quiet
check 'predict: dark on light is noticed: a zero' [ "$(cat "$out")" = 0 ]
check 'predict: dark on light is noticed: said' complains '^facula: dark.pgm: inverted, as it is dark on light'
check 'predict: --as-is' run 0 predict net.safetensors dark.pgm --quiet --as-is
check 'predict: --as-is: nothing is said' [ ! -s "$err" ]
check 'predict: light on dark' run 0 predict net.safetensors zero.pgm --quiet
check 'predict: light on dark: nothing is said' [ ! -s "$err" ]
check 'predict: --invert' run 0 predict net.safetensors dark.pgm --invert --quiet
check 'predict: --invert: a zero' [ "$(cat "$out")" = 0 ]
check 'predict: some classes' run 0 predict net.safetensors zero.pgm zero.pgm --top 3 --device late:0
check 'predict: some classes: of each' [ "$(wc -l <"$out")" -eq 6 ]
check 'predict as JSON' run 0 predict net.safetensors zero.pgm --json --top 10
check 'predict as JSON: it is' json '.[0].file == "zero.pgm" and .[0].classes[0].name == "0" and ([.[0].classes[].probability] | add - 1 | fabs) < 1e-5'
check 'predict: a bad image among others' run 1 predict net.safetensors rubbish.png zero.pgm none.jpg
check 'predict: a bad image among others: said' complains '^facula: fa_image_read: rubbish.png: it is no PNG, JPEG, PGM or PPM$'
check 'predict: a bad image among others: the next one too' complains 'none.jpg: cannot open: No such file'
check 'predict: a bad image among others: the good one' says '^zero.pgm  *0 '

# zero.png is that digit; zero_dark.jpg has it in colours, four times as large, and dark on light
if "$facula" predict net.safetensors "$images/zero.png" 2>&1 | grep -q 'plugin image'; then
    skip 'without the plugin image no PNG or JPEG is read'
else
    check 'predict: PNG' run 0 predict net.safetensors "$images/zero.png" --json --top 10
    cp "$out" png.json
    check 'predict: PGM of the same' run 0 predict net.safetensors zero.pgm --json --top 10
    check 'predict: PNG: the same' sh -c "sed '/\"file\"/d' '$out' >pgm.txt; sed '/\"file\"/d' png.json | cmp -s - pgm.txt"
    check 'predict: JPEG' run 0 predict net.safetensors "$images/zero_dark.jpg" --invert
    check 'predict: JPEG: a zero' says '/zero_dark.jpg  0  *[0-9][0-9.]*%$'
    for image in zero.png zero_dark.jpg; do
        head -c 100 "$images/$image" >"cut_$image"
        check "predict: half of $image" run 1 predict net.safetensors "cut_$image"
        check "predict: half of $image: said" complains "^facula: fa_image_read: cut_$image: ."
    done
fi

# runs that go on
whole='train cnn --epochs 6 --warm-up 1 --schedule cosine --lr 0.05'
check 'a whole run' run 0 $whole --save whole.safetensors --log whole.csv
timeless | sed '/^saved/d' >whole.txt
check 'a whole run, again' run 0 $whole --save again.safetensors --best best.safetensors --tensorboard events --report run.html
check 'a whole run, again: the same bytes' cmp -s whole.safetensors again.safetensors
check 'a finished run goes on to its end' run 0 train --resume again.safetensors --quiet
check 'a finished run goes on to its end: the same' [ "$(cat "$out")" = "$(tail -n 1 whole.txt)" ]
check 'a finished run goes on to its end: the same bytes' cmp -s whole.safetensors again.safetensors
check 'a finished run goes on: told' run 0 train --resume again.safetensors
check 'a finished run goes on: told so' says '^goes on behind epoch .* of again.safetensors, which was the last one: --epochs sets more$'
check 'more epochs' run 0 train --resume again.safetensors --epochs 7 --log kept.csv
check 'more epochs: one more' [ "$(grep -c '^epoch 7/7' "$out")" -eq 1 ]
check 'more epochs: behind a long line of the log' [ "$(sed 's/x0*//; s/,.*//' kept.csv | tr '\n' ' ')" = '7 7 ' ]
# The rate behind each epoch from the third on.
rates() { awk -F, 'NR > 3 { printf "%.6f ", $4 }' "$1"; }
for how in cosine 'cosine --warm-up 0.5' one-cycle; do
    longer="train linear --lr 0.1 --schedule $how"
    check "more epochs, $how" run 0 $longer --epochs 2 --force --save longer.safetensors --log longer.csv
    check "more epochs, $how: some more" run 0 train --resume longer.safetensors --epochs 4 --log longer.csv
    check "more epochs, $how: from the beginning" run 0 $longer --epochs 4 --log beginning.csv
    check "more epochs, $how: the rates of a run of so many" [ "$(rates longer.csv)" = "$(rates beginning.csv)" ]
done
check 'settings of a run stay' run 2 train --resume whole.safetensors --lr 0.1
check 'settings of a run stay: said' complains '^facula: --lr: 0.1, and whole.safetensors goes on with 0.05$'
check 'the network of a run stays' run 2 train mlp --resume whole.safetensors
check 'the network of a run stays: said' complains '^facula: model: mlp, and whole.safetensors goes on with cnn$'
check 'a run that is not there' run 1 train --resume none.safetensors

# what was written beside the second of the whole runs
check 'the best epoch' run 0 eval best.safetensors --quiet
check 'the best epoch: its accuracy' [ "$(sed 's/.* //; s/%//' "$out")" = "$(awk -F, 'NR > 1 && $3 > best { best = $3 } END { printf "%.1f", 100 * best }' whole.csv)" ]
check 'the best epoch: goes on' run 0 train --resume best.safetensors --quiet
check 'a report: one page' sh -c "head -c 15 run.html | grep -q '<!doctype html>' && ! grep -q 'http' run.html"
check 'a report: its images' grep -q 'src="data:image/png;base64,iVBOR' run.html
if [ -n "$events" ]; then
    check 'events' sh -c "'$events' events/events.out.tfevents.* >events.txt"
    awk '$2 == "loss/train" { print $1, $3 }' events.txt >event-losses.txt
    awk -F, 'NR > 1 { print $1, $2 }' whole.csv | paste -d ' ' event-losses.txt - >both-losses.txt
    check 'events: losses' awk 'NF != 4 || $1 != $3 || $2 - $4 > 1e-6 || $4 - $2 > 1e-6 { wrong = 1 } END { exit wrong || NR != 6 }' both-losses.txt
    check 'events: accuracies' [ "$(grep -c '^[1-6] accuracy/held_out 0\.[0-9]*$' events.txt)" -eq 6 ]
fi

# stopped SIGNAL LINE PAUSE: a run that is stopped so long behind the line of an epoch, and goes on until it is over.
stopped() {
    rm -f part.safetensors part.csv
    : >"$out" # what an earlier run said there is not to be taken for this one's
    "$facula" $whole --save part.safetensors --log part.csv >"$out" 2>"$err" &
    child=$!
    while ! grep -q "^$2" "$out" && kill -0 $child 2>/dev/null; do
        sleep 0.005
    done
    sleep "$3"
    kill -"$1" $child 2>/dev/null
    wait $child
    end=$?
    cp "$err" stopped.txt
    # a killed one may have written what it did not live to save
    [ $end -eq 0 ] || ! [ -s part.csv ] || printf '6,9.9,0.1,0.05,9,9\n6,9' >>part.csv
    [ $end -eq 0 ] || { [ $end -eq 1 ] && run 0 train --resume part.safetensors --log part.csv; }
}
# One thread makes it longer; the moments differ, so that it is met in and between epochs.
whole='train cnn --epochs 6 --warm-up 1 --schedule cosine --lr 0.05 --threads 1'
cut -d, -f1-4 whole.csv >whole.4
met=0
for how in 'INT epoch.1 0' 'INT epoch.2 0.01' 'TERM epoch.3 0.02' 'INT cnn 0.02' 'INT epoch.4 0.03'; do
    check "stopped: $how" stopped $how
    if [ $end -eq 1 ]; then
        check "stopped: $how: said" grep -q '^facula: stopped .*epoch [1-6].*; `facula train --resume part.safetensors` goes on$' stopped.txt
        ! grep -q 'step [1-9]' stopped.txt || met=$((met + 1))
    fi
    check "stopped: $how: the same bytes" cmp -s part.safetensors whole.safetensors
    check "stopped: $how: the same end" [ "$(last_line)" = "$(tail -n 1 whole.txt)" ]
    cut -d, -f1-4 part.csv >part.4
    check "stopped: $how: the same log" cmp -s part.4 whole.4
done
check 'some were stopped within an epoch' [ $met -ge 1 ]
exit $status
