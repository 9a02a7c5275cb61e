"""The reply says sorry."""

import json
import sys

reply = json.load(sys.stdin).get("reply") or ""
print(json.dumps({"holds": "sorry" in reply.lower()}))  # in `mode: once` the exit status is the answer, and it is 0
