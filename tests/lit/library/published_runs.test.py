"""Prints for each published figure whether the estimate's interval holds it."""
import json
import sys

PUBLISHED = {
    "deepseek_v3": {"step_time": 180000 * 3600 / 1e12 * 15360 * 4096 / 2048, "device_hours": 2.664e6},
    "pretraining": {"mfu": 400 / 989},
    "long_context": {"mfu": 380 / 989},
}
INTERVALS = {
    "step_time": lambda r: (r["totals"]["step_time_low_s"], r["totals"]["step_time_high_s"]),
    "device_hours": lambda r: (r["run"]["device_hours_low"], r["run"]["device_hours_high"]),
    "mfu": lambda r: (r["totals"]["mfu_low"], r["totals"]["mfu_high"]),
}
for path in sys.argv[1:]:
    for report in json.load(open(path))["plans"]:
        for what, value in PUBLISHED.get(report["name"], {}).items():
            low, high = INTERVALS[what](report)
            print(report["name"], what, f"{value:.4g}" if value < 1e4 else f"{value:.0f}", "inside" if low <= value <= high else f"outside {low} to {high}")
