/** Loaded into a server before its own code: all hosts below `.example` are this machine, so that pictures show names and no ports of tests. */
import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';

const { lookup } = dns;
dns.lookup = (host, options) => lookup(host.endsWith('.example') ? '127.0.0.1' : host, options);
syncBuiltinESMExports();
