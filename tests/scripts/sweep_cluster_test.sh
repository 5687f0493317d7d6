#!/usr/bin/env bash
# A sweep by three workers: two through a real sshd, one through a real slurmctld and slurmd, all on the loopback interface, with the
# invented GPU behind them. One of them is killed half-way; every point must be there, once. Then one by a machine that is remembered by
# its name, a queue that cancels its job. Daemons run from a folder of their own.
#
#   tests/scripts/sweep_cluster_test.sh build/gemmscope build/fake_cuda:build/fake_cublas
set -euo pipefail
program=$(realpath "$1")
libraries=$(IFS=:; for folder in $2; do realpath "$folder"; done | paste -sd:)
for needed in sshd slurmctld slurmd srun munged ssh; do
    PATH=$PATH:/usr/sbin command -v $needed >/dev/null || { echo "skipped: there is no $needed"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "skipped: slurmd and sshd are run as root here"; exit 77; }
export PATH=$PATH:/usr/sbin

here=$(mktemp -d)
daemons=()
finish() {
    for daemon in "${daemons[@]}"; do kill "$daemon" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$here"
}
trap finish EXIT
wait_for() { # what, and a command that succeeds then
    local what=$1
    shift
    for _ in $(seq 600); do "$@" >/dev/null 2>&1 && return; sleep 0.1; done
    echo "failed: $what did not happen"
    tail -n 20 "$here"/*.log
    exit 1
}

# sshd, with keys of its own
mkdir -p /run/sshd
ssh-keygen -q -t ed25519 -N '' -f "$here/host_key"
ssh-keygen -q -t ed25519 -N '' -f "$here/key"
cp "$here/key.pub" "$here/authorized_keys"
printf '%s\n' "ListenAddress 127.0.0.1" "Port 22022" "HostKey $here/host_key" "AuthorizedKeysFile $here/authorized_keys" "StrictModes no" \
    "PermitRootLogin yes" "UsePAM no" "PidFile $here/sshd.pid" >"$here/sshd_config"
"$(command -v sshd)" -D -f "$here/sshd_config" -E "$here/sshd.log" &
daemons+=($!)
ssh="ssh -p 22022 -i $here/key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR 127.0.0.1"
wait_for "a login by ssh" $ssh true

# Slurm, with one node
head -c 1024 /dev/urandom >"$here/munge.key"
chmod 400 "$here/munge.key"
mkdir -p "$here/munge" "$here/state" "$here/spool"
chmod 755 "$here" "$here/munge"
munged -F --force --key-file="$here/munge.key" --socket="$here/munge/socket" --pid-file="$here/munge/pid" --log-file="$here/munge.log" \
    --seed-file="$here/munge/seed" >/dev/null 2>&1 &
daemons+=($!)
name=$(hostname -s)
cat >"$here/slurm.conf" <<CONF
ClusterName=loopback
SlurmctldHost=$name(127.0.0.1)
SlurmUser=root
AuthInfo=socket=$here/munge/socket
SlurmctldPort=26817
SlurmdPort=26818
SlurmctldPidFile=$here/slurmctld.pid
SlurmdPidFile=$here/slurmd.pid
SlurmctldLogFile=$here/slurmctld.log
SlurmdLogFile=$here/slurmd.log
StateSaveLocation=$here/state
SlurmdSpoolDir=$here/spool
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmdParameters=config_overrides
MpiDefault=none
NodeName=$name NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=$name Default=YES State=UP
CONF
export SLURM_CONF=$here/slurm.conf
slurmctld -D >/dev/null 2>&1 &
daemons+=($!)
slurmd -D >/dev/null 2>&1 &
daemons+=($!)
wait_for "a job of Slurm" timeout 5 srun -N1 -n1 true

# A worker says which process it is.
gpu="env LD_LIBRARY_PATH=$libraries CUDA_HOME= CUDA_PATH="
cat >"$here/worker" <<WORKER
#!/bin/sh
echo \$\$ >>$here/\$1.pid
exec $gpu $program worker
WORKER
chmod +x "$here/worker"
export GEMMSCOPE_STATE=$here/own
what="naive naive_uncoalesced shared_tile_padded --space tiles --sizes 32,48"
sweep() { # folder of the records, workers
    local records=$here/$1 workers=()
    shift
    for worker; do workers+=(--worker "$worker"); done
    # shellcheck disable=SC2086
    "$program" sweep $what --output "$records" "${workers[@]}"
}
points() { cat "$here/$1"/*/*.txt 2>/dev/null | grep -c '^[0-9]' || true; }
enough() { [ "$(points "$1")" -ge 30 ] && [ -s "$here/$2.pid" ]; }
every_point_once() {
    local kept once
    kept=$(points "$1")
    once=$(for file in "$here/$1"/*/*.txt; do grep '^[0-9]' "$file" | awk -v f="$file" '{ line = f; for (i = 1; i <= NF - 5; ++i) line = line " " $i; print line }'; done | sort -u | wc -l)
    [ "$kept" = "$once" ] && [[ "$of" == *" $kept points" ]] || { echo "failed: $kept points, $once of them once, of \"$of\""; exit 1; }
    echo "every point is there once: $kept"
}
# shellcheck disable=SC2086
of=$("$program" sweep $what --plan | tail -1)
sweep records "$ssh $here/worker lab1" "$ssh $here/worker lab2" "srun -N1 -n1 $here/worker node1" >"$here/sweep.log" 2>&1 &
running=$!
wait_for "a third of the points" enough records "${KILLED:-lab2}"
kill -9 "$(head -1 "$here/${KILLED:-lab2}.pid")"
echo "killed ${KILLED:-lab2} after $(points records) points of \"$of\""
wait $running || { echo "failed: the sweep"; cat "$here/sweep.log"; exit 1; }
cat "$here/sweep.log"
grep -h '^by' "$here"/records/*/*.txt
for worker in lab1 lab2 node1; do echo "$worker was started $(wc -l <"$here/$worker.pid") times"; done
every_point_once records

"$program" machines queue "srun -N1 -n1 $here/worker queue"
sweep by_name queue >"$here/by_name.log" 2>&1 &
running=$!
wait_for "a third of the points by name" enough by_name queue
scancel --user="$(id -un)"
echo "cancelled its job after $(points by_name) points"
wait $running || { echo "failed: the sweep by name"; cat "$here/by_name.log"; exit 1; }
cat "$here/by_name.log"
grep -q "^gemmscope: queue: the GPU worker" "$here/by_name.log" || { echo "failed: nothing was said of the job that was cancelled"; exit 1; }
every_point_once by_name
