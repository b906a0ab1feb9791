import { MockProblem } from './problem';

/** The syntax of a webhook's URL, checks in the order of the service. Null when it is valid. */
export function checkUrlSyntax(text: unknown): string | null {
  const invalid = 'must be an absolute https:// URL of at most 2048 characters';
  if (typeof text !== 'string' || text.length > 2_048) return invalid;
  if (!/^https?:\/\/[^\s\p{Cc}/\\][^\s\p{Cc}]*$/iu.test(text)) return invalid;
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return invalid;
  }
  if (url.username !== '' || url.password !== '') {
    return 'must not contain credentials: deliveries are authenticated by their signature';
  }
  if (text.includes('#')) return 'must not have a fragment: it is never sent';
  if (/%(?![0-9a-f]{2})/i.test(text)) {
    return 'must have two hexadecimal digits after each %; write the character % as %25';
  }
  return /^https?:\/\/[^\s/?#@\\]+([/?].*)?$/iu.test(text) ? null : invalid;
}

/**
 * Checks whether the service would send deliveries to a URL, and normalizes it.
 *
 * @param text a URL with valid syntax
 * @throws {MockProblem} `validation_failed`.
 */
export function normalizeWebhookUrl(text: string): string {
  const url = new URL(text);
  const message = findViolation(url);
  if (message !== null) {
    throw new MockProblem('validation_failed', `The webhook's url ${message}.`, [
      { path: 'url', message },
    ]);
  }
  const { origin, href } = url;
  return origin + href.slice(origin.length).replace(/["<>[\\\]^`{|}]/g, encodeURIComponent);
}

function findViolation({ protocol, hostname, port }: URL): string | null {
  if (!isPublicHost(hostname)) {
    return 'must name a public host: deliveries do not go to local or private addresses';
  }
  if (protocol !== 'https:') return 'must start with https://';
  if (port === '' || (Number(port) >= 1_024 && !blockedPorts.has(Number(port)))) return null;
  return 'must use port 443, or a port from 1024 that is not used by another well-known service, such as 8443';
}

/** A name with a dot that is not local, or a public IPv4 address. Of IPv6, the mock knows too little. */
function isPublicHost(hostname: string): boolean {
  const name = hostname.replace(/\.+$/, '').toLowerCase();
  if (name.startsWith('[')) {
    throw new TypeError(
      `The mock does not know which IPv6 addresses are public. Use a webhook with a host name, such as https://receiver.example (got ${hostname}).`,
    );
  }
  if (/^\d+(\.\d+){3}$/.test(name)) return !privateIpv4.test(name);
  return name.includes('.') && !/(^|\.)(localhost|local|internal|home\.arpa)$/.test(name);
}

/** All but the addresses of the public Internet. Source: IANA, IPv4 special-purpose address registry. */
const privateIpv4 =
  /^(0|10|127|22[4-9]|2[3-5]\d)\.|^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|^169\.254\.|^172\.(1[6-9]|2\d|3[01])\.|^192\.(0\.[02]|88\.99|168|31\.196|52\.193|175\.48)\.|^198\.(1[89]|51\.100)\.|^203\.0\.113\./;

/** Ports of other protocols and services, to which the service does not send deliveries. */
const blockedPorts = new Set([
  1433, 1521, 1719, 1720, 1723, 2049, 2181, 2375, 2376, 2379, 2380, 3306, 3389, 3659, 4045, 4190,
  5060, 5061, 5432, 5672, 5984, 6000, 6379, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  8086, 8500, 8501, 9042, 9092, 9200, 9300, 10080, 10250, 11211, 26257, 27017,
]);
