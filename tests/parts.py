"""Checks the parts of `why`: reads what lt prints with `-f json` for print((LABEL, latency, why)).

parts.py [PERCENT]: in every span the parts add up to the latency, and none is negative or longer than it. Of the time of
all spans of one label, less than PERCENT (2) is unexplained. Prints a line for each label, with the causes that have at
least a tenth of its time.
"""

import json
import sys

GROUPS = {"interrupts": ("irq", "softirq"), "runq": ("woken", "preempted", "throttled")}


def wrong(latency, parts):
    """What is wrong with one span; nothing if it is right."""
    causes = {name: time for name, time in parts.items() if name not in ("cause", "interrupts", "runq", "blocked")}
    if sum(causes.values()) != latency:
        return f"off by {latency - sum(causes.values())} ns"
    for name, time in causes.items():
        if not 0 <= time <= latency:
            return f"{name} is {time} of {latency} ns"
    groups = parts["running"] + parts["interrupts"] + parts["runq"] + parts["blocked"] + parts["unexplained"]
    if groups != latency:
        return f"groups are off by {latency - groups} ns"
    for group, names in GROUPS.items():
        if parts[group] != sum(parts[name] for name in names):
            return f"{group} is not the sum of its parts"
    if causes[parts["cause"]] != max(causes.values()):
        return f"{parts['cause']} is not the largest"
    return None


def main():
    most = float(sys.argv[1]) if len(sys.argv) > 1 else 2
    totals, wrongs = {}, {}
    for line in sys.stdin:
        record = json.loads(line)
        if record["type"] != "value" or not isinstance(record["data"], list):
            continue
        label, latency, parts = record["data"]
        longest = parts.pop("longest")
        total = totals.setdefault(label, {"latency": 0})
        total["latency"] += latency
        for name, time in parts.items():
            if name != "cause":
                total[name] = total.get(name, 0) + time
        why = wrong(latency, parts)
        if longest["time"] > latency:
            why = f"the longest wait is {longest['time']} of {latency} ns"
        if why:
            wrongs.setdefault(label, []).append(why)
    for label, total in sorted(totals.items()):
        latency = total.pop("latency")
        unexplained = 100 * total["unexplained"] / latency
        main_causes = [name for name, time in total.items() if time >= latency / 10 and name not in
                       ("interrupts", "runq", "blocked")]
        print(f"{label}:", "exact" if label not in wrongs else f"{len(wrongs[label])} wrong: {wrongs[label][0]}",
              "explained" if unexplained < most else f"{unexplained:.1f} % unexplained", *sorted(main_causes))


if __name__ == "__main__":
    main()
