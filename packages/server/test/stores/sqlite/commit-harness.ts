import { DomainError } from '@tradepost/domain/kernel/errors';
import Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { type CommitOptions, GroupCommit } from '../../../src/stores/sqlite/group-commit';
import { tempFile } from '../../helpers/temp-folder';

/** A file of notes that exists for the running test. Changes share commits; a second connection observes them. */
export class CommitHarness {
  readonly file = tempFile();
  readonly connection = this.#open();
  /** The connection of another process. */
  readonly elsewhere = this.#open();
  commits: GroupCommit;

  constructor() {
    this.connection.pragma('journal_mode = WAL');
    this.connection.pragma('synchronous = full');
    this.connection.pragma('foreign_keys = ON');
    this.connection.exec(`
      CREATE TABLE notes (seq INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
      CREATE TABLE replies (note INTEGER REFERENCES notes (seq) DEFERRABLE INITIALLY DEFERRED)`);
    this.commits = this.group();
  }

  /** Creates a group commit, by default on the connection of this process. */
  group(options: CommitOptions = {}, connection: Database.Database = this.connection): GroupCommit {
    const changes = connection.prepare('SELECT total_changes()').pluck();
    return new GroupCommit(connection, options, {
      verifyFile: () => {},
      countWrites: () => changes.get() as number,
    });
  }

  /** Creates a change that writes a note and returns the number of notes. */
  note(text: string): () => number {
    return () => {
      this.connection.prepare('INSERT INTO notes (text) VALUES (?)').run(text);
      return Number(this.connection.prepare('SELECT count(*) FROM notes').pluck().get());
    };
  }

  /** Creates a change that succeeds and makes the commit fail: it references a missing note. */
  dangle(): () => void {
    return () => {
      this.connection.prepare('INSERT INTO replies VALUES (0)').run();
    };
  }

  /** Requests changes in one turn and returns the result of each. */
  addAll(...works: (() => unknown)[]): Promise<PromiseSettledResult<unknown>[]> {
    return Promise.allSettled(works.map((work) => this.commits.add(work)));
  }

  /** The notes that this process sees. */
  seenHere(): unknown[] {
    return notesIn(this.connection);
  }

  /** The notes that another process sees: those that are committed. */
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
export function reject(): never {
  throw new DomainError('order_not_found', 'There is no such order.');
}

/** Returns whether a change was done or rejected. */
export function getOutcome({ status }: PromiseSettledResult<unknown>): string {
  return status;
}
