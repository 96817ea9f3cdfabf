#!/usr/bin/env bash
# What a person without quorate does for a member that is to join, as fast as etcd lets anybody: no pause, and again
# whenever etcd refuses. Prints the etcd's process ID.
#
#   join_member.sh PROGRAMS ENDPOINTS NAME PEER_URL CONFIG LOG
set -euo pipefail
programs=$1 name=$3 peer_url=$4 config=$5 log=$6
export ETCDCTL_API=3 ETCDCTL_ENDPOINTS=$2
ctl() { "$programs/etcdctl" "$@" 2>>"$log"; }
id_of() { ctl member list | awk -F', ' -v url="$peer_url" '$4 == url { print $1 }'; }

until ctl member add "$name" --learner --peer-urls="$peer_url" >>"$log"; do :; done
sed -i 's/^initial-cluster-state: .*/initial-cluster-state: existing/' "$config"
"$programs/etcd" --config-file "$config" >>"$log" 2>&1 </dev/null &
echo $!
until id=$(id_of) && [ -n "$id" ]; do :; done
until ctl member promote "$id" >>"$log"; do :; done
