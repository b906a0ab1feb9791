/** How a value is stored: as text, as an integer, as a boolean (0 or 1 in SQLite), or as text in JSON. */
type Kind<Value> =
  NonNullable<Value> extends string
    ? 'text'
    : NonNullable<Value> extends number
      ? 'integer'
      : NonNullable<Value> extends boolean
        ? 'boolean'
        : 'json';

/** For each field of a record, its column or an expression of SQL, and how it is stored. */
export type Columns<Row> = {
  readonly [Field in keyof Row]-?: readonly [sql: string, kind: Kind<Row[Field]>];
};

type AnyColumns = Record<
  string,
  readonly [sql: string, kind: Kind<unknown> | 'text' | 'integer' | 'boolean']
>;

/** The values of a row to insert: those that may be null may be missing. */
export type NewRow<Row> = {
  [Field in keyof Row as null extends Row[Field] ? never : Field]: Row[Field];
} & { [Field in keyof Row as null extends Row[Field] ? Field : never]?: Row[Field] };

/** How values of SQLite, where `v` is one, become those of a record. */
const readers = {
  text: (v: string) => v,
  integer: (v: string) => v,
  boolean: (v: string) => `${v} === 1`,
  json: (v: string) => `JSON.parse(${v})`,
};

/** How values of a record become those of SQLite. */
const writers = {
  text: (v: string) => `${v} ?? null`,
  integer: (v: string) => `${v} ?? null`,
  boolean: (v: string) => `${v} ? 1 : 0`,
  json: (v: string) => `JSON.stringify(${v})`,
};

const postgresTypes = { text: 'TEXT', integer: 'BIGINT', boolean: 'BOOLEAN', json: 'TEXT' };

/**
 * What is read of each row of a query, as a record. The functions are generated once, as one literal each: a loop over the fields
 * reads a fifth as many rows per second.
 */
export class Fields<Row extends object> {
  /** The select list, with the names of the fields, which PostgreSQL returns as they are. */
  readonly select: string;
  /** Reads a row of SQLite: the values of the select list in its order. */
  readonly read: (values: readonly unknown[]) => Row;
  /** The fields that PostgreSQL returns in JSON. */
  readonly #json: string[];
  /** The queries that select the fields, by what follows their select list. */
  readonly queries = new Map<string, string>();

  constructor(readonly columns: Columns<Row>) {
    const entries = Object.entries(columns as AnyColumns);
    this.select = entries.map(([field, [sql]]) => `${sql} AS "${field}"`).join(', ');
    this.#json = entries.flatMap(([field, [, kind]]) => (kind === 'json' ? field : []));
    const properties = entries.map(
      ([field, [, kind]], index) => `${field}: ${readers[kind](`v[${index}]`)}`,
    );
    this.read = new Function('v', `return { ${properties.join(', ')} };`) as typeof this.read;
  }

  /** Reads rows of PostgreSQL. */
  readAll(rows: Row[]): Row[] {
    for (const row of this.#json.length === 0 ? [] : (rows as Record<string, unknown>[])) {
      for (const field of this.#json) row[field] = JSON.parse(row[field] as string);
    }
    return rows;
  }

  /** Selects the fields beside those of other records in a query of PostgreSQL, under names such as `task.id`. */
  as(name: string): { select: string; pick: (row: object) => Row } {
    const entries = Object.entries(this.columns as AnyColumns);
    const properties = entries.map(([field]) => `${field}: row["${name}.${field}"]`);
    return {
      select: entries.map(([field, [sql]]) => `${sql} AS "${name}.${field}"`).join(', '),
      pick: new Function('row', `return { ${properties.join(', ')} };`) as (row: object) => Row,
    };
  }

  /** Adds fields, for example of a joined table. */
  with<Added extends object>(columns: Columns<Added>): Fields<Row & Added> {
    return new Fields({ ...this.columns, ...columns } as unknown as Columns<Row & Added>);
  }

  /** Leaves fields out. */
  without<Field extends keyof Row & string>(...fields: Field[]): Fields<Omit<Row, Field>> {
    const kept = Object.entries(this.columns).filter(([field]) => !fields.includes(field as Field));
    return new Fields(Object.fromEntries(kept) as unknown as Columns<Omit<Row, Field>>);
  }

  /** Leaves all other fields out. */
  only<Field extends keyof Row & string>(...fields: Field[]): Fields<Pick<Row, Field>> {
    const kept = fields.map((field) => [field, this.columns[field]]);
    return new Fields(Object.fromEntries(kept) as Columns<Pick<Row, Field>>);
  }
}

/** An update of some columns of a row. */
export interface RowUpdate<Row> {
  /** The statement of SQLite, and the values of its parameters. */
  sql: string;
  write: (row: Row) => unknown[];
  /** The fields that it needs of each row, and the types of PostgreSQL. */
  fields: readonly (readonly [field: keyof Row, type: string])[];
  /** The statement of PostgreSQL for rows that have these fields. */
  from: (rows: string) => string;
}

/** A table: its columns by the fields of its rows. Both databases have the same names. */
export class Table<Row extends object> extends Fields<Row> {
  /** The names of the columns. */
  readonly names: string[];
  /** The names of the columns with booleans. */
  readonly booleans: string[];
  /** The parameters of a row in a statement of SQLite, whose values `write` returns. */
  readonly places: string;
  /** Inserts rows of SQLite: the start of the statement, before the parameters of each row. */
  readonly insertRows: string;
  /** Inserts a row of SQLite. */
  readonly insert: string;
  /** Returns the values of a row for SQLite. */
  readonly write: (row: NewRow<Row>) => unknown[];
  /** Returns what PostgreSQL gets of a row in JSON, by the names of the fields. */
  readonly toJson: (row: NewRow<Row>) => object;
  readonly #own: Columns<Row>;

  /** @param key The columns that identify a row, in the order of an index. */
  constructor(
    readonly name: string,
    readonly key: readonly string[],
    columns: Columns<Row>,
  ) {
    const entries = Object.entries(columns as AnyColumns);
    const qualified = entries.map(([field, [column, kind]]) => [
      field,
      [`${name}.${column}`, kind],
    ]);
    super(Object.fromEntries(qualified) as Columns<Row>);
    this.#own = columns;
    this.names = entries.map(([, [column]]) => column);
    this.booleans = entries.flatMap(([, [column, kind]]) => (kind === 'boolean' ? column : []));
    this.places = `(${entries.map(() => '?').join(', ')})`;
    this.insertRows = `INSERT INTO ${name} (${this.names.join(', ')}) VALUES`;
    this.insert = `${this.insertRows} ${this.places}`;
    const values = entries.map(([field, [, kind]]) => writers[kind](`row.${field}`));
    this.write = new Function('row', `return [${values.join(', ')}];`) as typeof this.write;
    const properties = entries.map(
      ([field, [, kind]]) =>
        `${field}: ${kind === 'json' ? writers.json(`row.${field}`) : `row.${field}`}`,
    );
    this.toJson = new Function('row', `return { ${properties.join(', ')} };`) as typeof this.toJson;
  }

  /** Returns the statement that inserts rows of PostgreSQL, which are an array in JSON. */
  insertJson(rows: string): string {
    const entries = Object.entries(this.#own as AnyColumns);
    const fields = entries.map(([field]) => `r."${field}"`);
    const types = entries.map(([field, [, kind]]) => `"${field}" ${postgresTypes[kind]}`);
    return `INSERT INTO ${this.name} (${this.names.join(', ')}) SELECT ${fields.join(', ')}
      FROM json_to_recordset(${rows}) AS r (${types.join(', ')})`;
  }

  /** Returns the update of these fields in the row with the same key, of one field or several. */
  update<Field extends keyof Row & string>(
    key: Field | readonly Field[],
    ...fields: Field[]
  ): RowUpdate<Pick<Row, Field>> {
    const keys = [key].flat() as Field[];
    const column = (field: Field) => this.#own[field][0];
    const kind = (field: Field): keyof typeof writers => this.#own[field][1];
    const all = [...fields, ...keys];
    const values = all.map((field) => writers[kind(field)](`row.${field}`));
    const build = (value: (field: Field) => string) =>
      `UPDATE ${this.name} SET ${fields.map((field) => `${column(field)} = ${value(field)}`).join(', ')}`;
    const where = (value: (field: Field) => string) =>
      keys.map((field) => `${this.name}.${column(field)} = ${value(field)}`).join(' AND ');
    return {
      sql: `${build(() => '?')} WHERE ${where(() => '?')}`,
      write: new Function('row', `return [${values.join(', ')}];`) as (row: object) => unknown[],
      fields: all.map((field) => [field, postgresTypes[kind(field)]]),
      from: (rows) =>
        `${build((field) => `r."${field}"`)} FROM ${rows} WHERE ${where((field) => `r."${field}"`)}`,
    };
  }

  /** Adds columns that only one of the databases has. */
  extend<Added extends object>(columns: Columns<Added>): Table<Row & Added> {
    const all = { ...this.#own, ...columns } as unknown as Columns<Row & Added>;
    return new Table(this.name, this.key, all);
  }
}
