import { DomainError } from '../kernel/errors';
import { isLocalHost, isPublicAddress, parseAddress } from './public-address';

/** Rules for the URLs and the certificates of webhooks. */
export interface WebhookPolicy {
  /** Reject `http://`. */
  requireHttps: boolean;
  /** Reject addresses that are not public, such as loopback, private and link-local ones. */
  publicAddressesOnly: boolean;
  /** Reject ports below 1024 except the scheme's default, and the ports of other well-known services. */
  allowedPortsOnly: boolean;
  /** Reject TLS certificates that do not verify. */
  verifyCertificates: boolean;
}

/** The default policy. */
export const strictWebhookPolicy: WebhookPolicy = {
  requireHttps: true,
  publicAddressesOnly: true,
  allowedPortsOnly: true,
  verifyCertificates: true,
};

/** For development: allows plain HTTP, private addresses, any port and self-signed certificates. */
export const insecureWebhookPolicy: WebhookPolicy = {
  requireHttps: false,
  publicAddressesOnly: false,
  allowedPortsOnly: false,
  verifyCertificates: false,
};

/** The destination of a connection, with fields as in `URL`. */
export interface Destination {
  /** Such as `https:`. */
  protocol: string;
  /** A name or an address. An IPv6 address may have brackets. */
  hostname: string;
  /** Empty for the scheme's default. */
  port: string;
}

/** The ways in which a destination can violate a policy before DNS is queried. */
export type PolicyViolation = 'address' | 'scheme' | 'port';

/** Returns how a destination violates a policy, or null if it is allowed as far as is known without DNS. */
export function findPolicyViolation(
  { protocol, hostname, port }: Destination,
  policy: WebhookPolicy,
): PolicyViolation | null {
  if (policy.publicAddressesOnly) {
    const address = parseAddress(hostname);
    if (address === null ? isLocalHost(hostname) : !isPublicAddress(address)) return 'address';
  }
  if (policy.requireHttps && protocol !== 'https:') return 'scheme';
  if (policy.allowedPortsOnly && !isAllowedPort(port)) return 'port';
  return null;
}

const explanations: Record<PolicyViolation, string> = {
  address: 'must name a public host: deliveries do not go to local or private addresses',
  scheme: 'must start with https://',
  port: 'must use port 443, or a port from 1024 that is not used by another well-known service, such as 8443',
};

/** Returns a URL with the characters percent-encoded that the URL Standard leaves as they are, but RFC 3986 does not allow. */
function toUri({ origin, href }: URL): string {
  return origin + href.slice(origin.length).replace(/["<>[\\\]^`{|}]/g, encodeURIComponent);
}

/**
 * Checks the URL of a webhook when it is created or changed. Names that resolve to a forbidden address are rejected when the
 * connection is made.
 *
 * @param text A URL that the contract accepts: absolute, without credentials or fragment.
 * @returns The normalized URL, which is a URI by RFC 3986.
 * @throws DomainError `validation_failed`, naming `url`.
 */
export function checkWebhookUrl(text: string, policy: WebhookPolicy): string {
  const url = new URL(text);
  const violation = findPolicyViolation(url, policy);
  if (violation !== null) {
    const message = explanations[violation];
    throw new DomainError('validation_failed', `The webhook's url ${message}.`, [
      { path: 'url', message },
    ]);
  }
  return toUri(url);
}

/**
 * Ports above 1023 that other protocols use, to which browsers send no requests.
 * Source: Fetch Standard, "Port blocking".
 */
const badPorts = [
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669,
  6679, 6697, 10080,
];

/**
 * Ports of databases, caches, queues and container services. Receivers do not use them, and an open one is usually open by
 * mistake: the first bytes of TLS contain a host name that the creator of the webhook chose, which a line-based protocol may
 * read as a command.
 */
const servicePorts = [
  1433, // SQL Server
  1521, // Oracle
  2181, // ZooKeeper
  2375, // Docker
  2376, // Docker over TLS
  2379, // etcd
  2380, // etcd peers
  3306, // MySQL
  3389, // Remote Desktop
  5432, // PostgreSQL
  5672, // RabbitMQ
  5984, // CouchDB
  6379, // Redis
  6443, // Kubernetes
  8086, // InfluxDB
  8500, // Consul
  8501, // Consul over TLS
  9042, // Cassandra
  9092, // Kafka
  9200, // Elasticsearch
  9300, // Elasticsearch peers
  10250, // kubelet
  11211, // memcached
  26257, // CockroachDB
  27017, // MongoDB
];

const blockedPorts = new Set([...badPorts, ...servicePorts]);

/**
 * Returns whether a webhook may use a port: the scheme's default, or one from 1024 that is not used by another service.
 *
 * @param port As in `URL`: empty for the scheme's default.
 */
export function isAllowedPort(port: string): boolean {
  if (port === '') return true;
  const number = Number(port);
  return number >= 1024 && number <= 65_535 && !blockedPorts.has(number);
}
