"""The reply promises no day. The transcript is on standard input; exit 0 holds, 1 fails."""

import json
import re
import sys

DAY = r"\b(today|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d{1,2} (?:january|february|march|april|may|june))\b"

found = re.search(DAY, json.load(sys.stdin).get("reply") or "", re.IGNORECASE)
print(json.dumps({"reason": f'it names "{found.group()}"' if found else "it names no day"}))
sys.exit(1 if found else 0)
