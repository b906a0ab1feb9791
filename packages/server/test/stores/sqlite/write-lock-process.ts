import { once } from 'node:events';
import Database from 'better-sqlite3';

// A process that locks a database for writing until it gets a line that says to release the lock.
const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('name the database');
const connection = new Database(file);
connection.exec('BEGIN IMMEDIATE');
console.log('locked');
await once(process.stdin, 'data');
connection.exec('ROLLBACK');
connection.close();
console.log('released');
process.exit();
