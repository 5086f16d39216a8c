#!/bin/bash
# Reads a file of 32 MB in a cgroup that may have 8 MB.
group=/sys/fs/cgroup/lt-reclaim
echo +memory > /sys/fs/cgroup/cgroup.subtree_control
mkdir $group
echo 8M > $group/memory.max
bash -c "echo \$\$ > $group/cgroup.procs; truncate -s 32M many; head -c 32M /dev/zero > many; cat many > /dev/null"
rmdir $group
