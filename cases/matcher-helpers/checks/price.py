"""The reply names the price that get_quote gave, and no other. One transcript a line in, one verdict a line out."""

import json
import re
import sys


def verdict(transcript):
    quotes = [call["result"]["euros"] for call in transcript.get("tool_calls") or [] if call["name"] == "get_quote"]
    if not quotes:
        return False, "get_quote was not called"
    named = {float(number) for number in re.findall(r"\d+(?:\.\d+)?(?= euros)", transcript.get("reply") or "")}
    if named == {float(quotes[-1])}:
        return True, f"{quotes[-1]} euros, as quoted"
    return False, f"{quotes[-1]} euros were quoted, the reply names {sorted(named) or 'no price'}"


for line in sys.stdin:
    holds, reason = verdict(json.loads(line))
    print(json.dumps({"holds": holds, "reason": reason}), flush=True)  # flush: somebody waits for this line
