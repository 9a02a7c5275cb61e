"""The reply numbers at least two steps. One transcript a line in, one verdict a line out."""

import json
import re
import sys

for line in sys.stdin:
    steps = re.findall(r"(?<!\d)([1-9])\. \w", json.loads(line).get("reply") or "")
    print(json.dumps({"holds": {"1", "2"} <= set(steps), "reason": f"it has {len(steps)} steps"}), flush=True)
