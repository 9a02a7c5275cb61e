"""The reply says sorry."""

import json
import sys

reply = json.load(sys.stdin).get("reply") or ""
print(json.dumps({"reason": "it says sorry" if "sorry" in reply.lower() else "it does not say sorry"}))
# Here `sys.exit` is missing: the exit status is the answer, and it is 0 whatever was found.
