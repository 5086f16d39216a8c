#!/bin/bash
# Writes and reads a file of 32 MB, on a disk, in a cgroup that may have 8 MB.
group=/sys/fs/cgroup/lt-reclaim
echo +memory > /sys/fs/cgroup/cgroup.subtree_control
mkdir $group
echo 8M > $group/memory.max
bash -c "echo \$\$ > $group/cgroup.procs; head -c 32M /dev/zero > disk/many; cat disk/many > /dev/null"
rmdir $group
