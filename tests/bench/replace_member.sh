#!/usr/bin/env bash
# What a person without quorate does for a member whose disk was wiped: it is removed, and joins anew. Prints the etcd's
# process ID.
#
#   replace_member.sh PROGRAMS ENDPOINTS NAME PEER_URL CONFIG LOG
set -euo pipefail
programs=$1 peer_url=$4 log=$6
export ETCDCTL_API=3 ETCDCTL_ENDPOINTS=$2
ctl() { "$programs/etcdctl" "$@" 2>>"$log"; }
id_of() { ctl member list | awk -F', ' -v url="$peer_url" '$4 == url { print $1 }'; }

until id=$(id_of) && [ -n "$id" ]; do :; done
until ctl member remove "$id" >>"$log"; do :; done
exec "$(dirname "${BASH_SOURCE[0]}")/join_member.sh" "$@"
