"""The reply holds no link. One transcript a line in, one verdict a line out."""

import json
import sys

for line in sys.stdin:
    link = "http" in (json.loads(line).get("reply") or "")
    print(json.dumps({"holds": not link, "reason": "it holds a link" if link else "it holds no link"}), flush=True)
