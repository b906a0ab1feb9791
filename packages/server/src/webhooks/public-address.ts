import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const embedsIpv4 = new Set(['ipv4Mapped', 'rfc6145', 'rfc6052', '6to4']);
/** All that is handed out of IPv6 for the public Internet. Source: IANA, IPv6 address space. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
/** A network's own NAT64 prefix, in which the IPv4 address may stand anywhere. Source: RFC 8215. */
const localNat64 = ipaddr.IPv6.parseCIDR('64:ff9b:1::/48');

function ipv4Within(address: ipaddr.IPv6, range: string): ipaddr.IPv4 {
  const bytes = address.toByteArray();
  // 6to4 carries the IPv4 address after its 16 bit prefix, the other forms carry it at the end.
  return new ipaddr.IPv4(range === '6to4' ? bytes.slice(2, 6) : bytes.slice(12, 16));
}

/**
 * Whether an IP address is one of the public Internet: not loopback, private, link-local, shared,
 * multicast, unique-local, reserved, nor an IPv6 form that wraps such an IPv4 address.
 */
export function isPublicAddress(text: string): boolean {
  const address = ipaddr.parse(text);
  const range = address.range();
  if (!(address instanceof ipaddr.IPv6)) return range === 'unicast';
  if (address.match(localNat64)) return false;
  if (embedsIpv4.has(range)) return ipv4Within(address, range).range() === 'unicast';
  return range === 'unicast' && address.match(globalUnicast);
}

/**
 * Ends of names that are never those of the public Internet, whatever DNS says of them.
 * Source: RFC 6761 (localhost), RFC 6762 (local), RFC 8375 (home.arpa), ICANN for private use (internal).
 */
const localName = /(^|\.)(localhost|local|internal|home\.arpa)$/;

/** Whether a URL's host is a name that only this machine or its own network knows, such as one without a dot. */
export function isLocalName(hostname: string): boolean {
  const name = hostname.replace(/\.+$/, '').toLowerCase();
  if (literalAddress(name) !== null) return false;
  return !name.includes('.') || localName.test(name);
}

/** The address that a URL's host is, or null when the host is a name. */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? null : bare;
}
