import { join } from 'node:path';
import { findUnusedPort } from '../helpers/loopback';
import { startProgram } from './start-program';

/** Runs HAProxy with a configuration, until the test ends. It listens on the port when the promise resolves. */
export async function runHaProxy(config: string, port: number): Promise<void> {
  await startProgram({
    path: '/usr/sbin/haproxy',
    variable: 'HAPROXY_PATH',
    files: () => ({ 'haproxy.cfg': config }),
    args: (folder) => ['-db', '-f', join(folder, 'haproxy.cfg')],
    port,
  });
}

/**
 * Starts HAProxy in front of the hosts of a URL, with a check of their ports. Returns the URL of the database through it.
 *
 * @param balance What it does with several hosts, such as `roundrobin`, or `first` for the first one that is there.
 */
export async function startHaProxy(url: string, balance: 'roundrobin' | 'first'): Promise<string> {
  const [, start = '', hosts = '', end = ''] = /^(.*@)([^/]*)(.*)$/.exec(url) ?? [];
  const port = await findUnusedPort();
  const servers = hosts
    .split(',')
    .map((host, index) => `  server pg${index + 1} ${host} check inter 200ms fall 1 rise 1`);
  const settings = [
    'defaults',
    '  mode tcp',
    '  timeout connect 1s',
    '  timeout client 1m',
    '  timeout server 1m',
    'listen postgres',
    `  bind 127.0.0.1:${port}`,
    `  balance ${balance}`,
    '  option redispatch 1',
    ...servers,
  ];
  await runHaProxy(`${settings.join('\n')}\n`, port);
  return `${start}127.0.0.1:${port}${end}`;
}
