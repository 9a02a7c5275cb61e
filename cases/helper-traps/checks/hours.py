"""The reply names both hours."""

import json
import sys

reply = json.load(sys.stdin)["reply"].lower()  # no such key where the agent said nothing
sys.exit(0 if "ten" in reply and "four" in reply else 1)
