"""When is the tide high? A toy table, good enough for a tour."""

import sys

FIRST_HIGH = {"brest": 5, "porto": 3, "bergen": 10}
BETWEEN_TIDES = 12


def high_tides(harbour):
    first = FIRST_HIGH[harbour]
    return [first, first + BETWEEN_TIDES]


if __name__ == "__main__":
    harbour = sys.argv[1]
    print(", ".join(f"{hour}:00" for hour in high_tides(harbour)))
