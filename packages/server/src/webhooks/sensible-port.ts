/**
 * Ports above 1023 where other protocols than HTTP are at home: browsers send no request there.
 * Source: Fetch Standard, "Port blocking".
 */
const badPorts = [
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669,
  6679, 6697, 10080,
];

/**
 * Ports of databases, caches, queues and of what runs containers. No receiver listens there, and one that is
 * open to the world is open by mistake: the first bytes of TLS hold a host name that whoever registered
 * the URL chose, and a line protocol may take it for a command.
 */
const servicePorts = [
  1433, // SQL Server
  1521, // Oracle
  2181, // ZooKeeper
  2375, // Docker
  2376, // Docker over TLS
  2379, // etcd
  2380, // etcd, its peers
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
  9300, // Elasticsearch, its peers
  10250, // kubelet
  11211, // memcached
  26257, // CockroachDB
  27017, // MongoDB
];

const refused = new Set([...badPorts, ...servicePorts]);

/**
 * Whether receivers listen on a port: the scheme's own, or one from 1024 up that is not known for
 * something else.
 *
 * @param port As a `URL` has it: empty for the scheme's own.
 */
export function isSensiblePort(port: string): boolean {
  if (port === '') return true;
  const number = Number(port);
  return number >= 1024 && number <= 65_535 && !refused.has(number);
}
