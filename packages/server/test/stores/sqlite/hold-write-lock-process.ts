import { once } from 'node:events';
import Database from 'better-sqlite3';

// A process that holds the write lock of a database until it is asked to release it.
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
