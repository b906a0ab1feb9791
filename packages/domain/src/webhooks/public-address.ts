import ipaddr from 'ipaddr.js';

const embedsIpv4 = new Set(['ipv4Mapped', 'rfc6145', 'rfc6052', '6to4']);
/** All IPv6 addresses that are assigned for the public Internet. Source: IANA, IPv6 address space. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
/** The prefix for local NAT64, in which the position of the IPv4 address is not fixed. Source: RFC 8215. */
const localNat64 = ipaddr.IPv6.parseCIDR('64:ff9b:1::/48');
/**
 * An address of a public range that leads a virtual machine of Azure to its host, with secrets of the machine.
 * Source: Microsoft, "What is IP address 168.63.129.16?".
 */
const azureHost = '168.63.129.16';

function isPublicIpv4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && address.toString() !== azureHost;
}

function embeddedIpv4(address: ipaddr.IPv6, range: string): ipaddr.IPv4 {
  const bytes = address.toByteArray();
  // 6to4 has the IPv4 address after its 16-bit prefix; the other forms have it at the end.
  return new ipaddr.IPv4(range === '6to4' ? bytes.slice(2, 6) : bytes.slice(12, 16));
}

/**
 * Returns whether an IP address belongs to the public Internet. Loopback, private, link-local, shared, multicast, unique-local
 * and reserved addresses do not, nor does the host of a virtual machine, nor an IPv6 address that embeds such an IPv4 address.
 */
export function isPublicAddress(text: string): boolean {
  const address = ipaddr.parse(text);
  const range = address.range();
  if (!(address instanceof ipaddr.IPv6)) return isPublicIpv4(address);
  if (address.match(localNat64)) return false;
  if (embedsIpv4.has(range)) return isPublicIpv4(embeddedIpv4(address, range));
  return range === 'unicast' && address.match(globalUnicast);
}

/**
 * Name suffixes that never belong to the public Internet, whatever DNS returns for them.
 * Source: RFC 6761 (localhost), RFC 6762 (local), RFC 8375 (home.arpa), ICANN for private use (internal).
 */
const localHostPattern = /(^|\.)(localhost|local|internal|home\.arpa)$/;

/** Returns whether a URL's host is a name that only this machine or its network knows, such as one without a dot. */
export function isLocalHost(hostname: string): boolean {
  const name = hostname.replace(/\.+$/, '').toLowerCase();
  if (parseAddress(name) !== null) return false;
  return !name.includes('.') || localHostPattern.test(name);
}

/** Returns the IP address of a URL's host, or null if the host is a name. */
export function parseAddress(hostname: string): string | null {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return ipaddr.IPv4.isValidFourPartDecimal(bare) || ipaddr.IPv6.isValid(bare) ? bare : null;
}
