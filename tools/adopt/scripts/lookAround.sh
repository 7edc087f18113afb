# Prints the programs that this project needs and the container doesn't have, a line each, then `===`, then the arguments of each of its
# processes: a NUL after each argument, and a line feed after each process.
for program in cat chown cp curl mktemp mv readlink sync; do
    command -v "$program" > /dev/null || echo "$program"
done
echo "==="
for process in /proc/[0-9]*/cmdline; do
    cat "$process" 2> /dev/null
    echo
done
