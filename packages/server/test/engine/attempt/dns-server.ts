import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { decode, encode, RECURSION_AVAILABLE } from 'dns-packet';
import { onTestFinished } from 'vitest';

/** The response to a query: addresses, a failure, or nothing. */
export type Reply = string[] | 'NXDOMAIN' | 'SERVFAIL' | 'silence';

/** The two record types for addresses. */
export type Family = 'A' | 'AAAA';

/** Resolves a name. Called for each query, so that the records of a name can change. */
export type Zone = (name: string, family: Family) => Reply;

const responseCodes = { SERVFAIL: 2, NXDOMAIN: 3 };

/** A real DNS server on loopback that stops with the running test. */
export interface DnsServer {
  /** Its address, such as `127.0.0.1:41234`. */
  address: string;
  /** All queries so far, such as `receiver.test A`. */
  questions: string[];
}

/** Starts a DNS server. */
export async function openDnsServer(zone: Zone): Promise<DnsServer> {
  const questions: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (packet, sender) => {
    const query = decode(packet);
    const [question] = query.questions ?? [];
    if (question === undefined) return;
    const { name } = question;
    const family = question.type === 'AAAA' ? 'AAAA' : 'A';
    questions.push(`${name} ${family}`);
    const reply = zone(name, family);
    if (reply === 'silence') return;
    const failure = typeof reply === 'string' ? responseCodes[reply] : 0;
    const addresses = typeof reply === 'string' ? [] : reply;
    const response = encode({
      type: 'response',
      id: query.id ?? 0,
      flags: RECURSION_AVAILABLE | failure,
      questions: [question],
      answers: addresses.map((data) => ({ type: family, name, ttl: 0, data })),
    });
    socket.send(response, sender.port, sender.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(async () => {
    const closed = once(socket, 'close');
    socket.close();
    await closed;
  });
  return { address: `127.0.0.1:${socket.address().port}`, questions };
}

/** A zone with these names and IPv4 addresses, and no others. */
export function names(addresses: Record<string, string[]>): Zone {
  return (name, family) => {
    const known = addresses[name];
    if (known === undefined) return 'NXDOMAIN';
    return family === 'A' ? known : [];
  };
}
