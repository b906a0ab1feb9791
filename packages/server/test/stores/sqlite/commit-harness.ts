import Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { DomainError } from '../../../src/kernel/errors';
import { GroupCommit } from '../../../src/stores/sqlite/group-commit';
import { tempFile } from '../../helpers/temp-folder';

/** A file of records that lasts as long as the running test: changes share commits, and another process looks on. */
export class CommitHarness {
  readonly file = tempFile();
  readonly connection = this.#open();
  /** Another process's view of the file. */
  readonly elsewhere = this.#open();
  commits: GroupCommit;

  constructor() {
    this.connection.pragma('journal_mode = WAL');
    this.connection.pragma('synchronous = full');
    this.connection.pragma('foreign_keys = ON');
    this.connection.exec(`
      CREATE TABLE notes (seq INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
      CREATE TABLE replies (note INTEGER REFERENCES notes (seq) DEFERRABLE INITIALLY DEFERRED)`);
    this.commits = new GroupCommit(this.connection);
  }

  /** A change that writes a note and says how many there are then. */
  note(text: string): () => number {
    return () => {
      this.connection.prepare('INSERT INTO notes (text) VALUES (?)').run(text);
      return Number(this.connection.prepare('SELECT count(*) FROM notes').pluck().get());
    };
  }

  /** A change that goes through, and has its commit rejected: it answers a note that is not there. */
  dangle(): () => void {
    return () => {
      this.connection.prepare('INSERT INTO replies VALUES (0)').run();
    };
  }

  /** Asks for changes in one turn, and tells what became of each. */
  addAll(...works: (() => unknown)[]): Promise<PromiseSettledResult<unknown>[]> {
    return Promise.allSettled(works.map((work) => this.commits.add(work)));
  }

  /** The notes as this process sees them. */
  seenHere(): unknown[] {
    return notesIn(this.connection);
  }

  /** The notes as another process sees them: what is committed. */
  seenElsewhere(): unknown[] {
    return notesIn(this.elsewhere);
  }

  #open(): Database.Database {
    const opened = new Database(this.file, { timeout: 0 });
    onTestFinished(() => {
      opened.close();
    });
    return opened;
  }
}

function notesIn(database: Database.Database): unknown[] {
  return database.prepare('SELECT text FROM notes ORDER BY seq').pluck().all();
}

/** Rejects a change as the domain does. */
export function refuse(): never {
  throw new DomainError('order_not_found', 'There is no such order.');
}

/** Whether a change was done or rejected. */
export function statusOf({ status }: PromiseSettledResult<unknown>): string {
  return status;
}
