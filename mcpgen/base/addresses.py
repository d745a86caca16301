"""Classify host names in URLs of a document: some must not be called at all, others only with a diagnostic.

Host names are not resolved by DNS: only the spelling of the host counts.
"""

import ipaddress
import re
import unicodedata

from mcpgen.base.runtime import addresses

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_METADATA = frozenset(map(ipaddress.ip_address, addresses.METADATA_ADDRESSES))

LONGEST_URL = 8000
"""Longest URL that is examined, in characters. Every server must support URLs of this length (RFC 9112, section 3)."""

_LONGEST = 1000
"""Longest host that is examined, in characters. A DNS name has at most 253 (RFC 1035, section 2.3.4)."""

_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
"""Prefix by which IPv6-only networks reach IPv4 addresses (NAT64; RFC 6052, section 2.1)."""


def is_forbidden(host: str) -> bool:
    """Return whether `host` is link-local, unspecified (0.0.0.0 or ::), or the metadata service of a cloud."""
    address = _address(host)
    if host.rstrip(".").lower() in addresses.METADATA_NAMES:
        return True
    return address is not None and (address.is_link_local or address.is_unspecified or address in _METADATA)


def is_private(host: str) -> bool:
    """Return whether `host` is loopback or in a private network."""
    address = _address(host)
    return (
        host == "localhost"
        or host.endswith((".localhost", ".local", ".internal"))
        or (address is not None and address.is_private)
    )


def _address(host: str) -> _Address | None:
    """Return the IP address that `host` spells, or None for a DNS name.

    Also reads other forms that resolvers accept: `2130706433`, `0x7f.1`, and IPv4 addresses embedded in IPv6.
    """
    if len(host) > _LONGEST:
        return None
    host = unicodedata.normalize("NFKC", host).replace("\u3002", ".").rstrip(".")
    try:
        address = ipaddress.ip_address(host)
        if isinstance(address, ipaddress.IPv4Address):
            return address
        inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF) if address in _TRANSLATED else None
        return address.ipv4_mapped or address.sixtofour or inner or address
    except ValueError:
        pass
    parts = host.split(".")
    try:
        numbers = [int(part, 0) if not re.fullmatch(r"0[0-7]+", part) else int(part, 8) for part in parts]
        if not 1 <= len(numbers) <= 4 or any(number > 255 for number in numbers[:-1]):
            return None
        value = sum(number << (24 - 8 * index) for index, number in enumerate(numbers[:-1])) + numbers[-1]
        return ipaddress.IPv4Address(value)
    except ValueError:
        return None
