import { type Collection, type Log, StoreError } from '@countersign/core/ports'
import type { Place } from './connection.ts'

/** Options of `openPostgresStore`. */
export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database?sslmode=…` */
  readonly url: string
  /** Where the tables are (default `countersign`): lower-case letters, digits and `_`. Made if it is not there. */
  readonly schema?: string
  readonly collections: readonly Collection[]
  readonly logs: readonly Log[]
  /** Connections that commit (default 2) and that read (default 2); one more claims. */
  readonly writers?: number
  readonly readers?: number
  /** How long a server that can't be reached is waited for, in ms (default 5,000). */
  readonly patienceMs?: number
  /** How long an answer is waited for, in ms (default 15,000); then the connection is taken for broken. */
  readonly answerMs?: number
}

const schemaRule = /^[a-z_][a-z0-9_]{0,62}$/

/** Where the options lead; throws `malformed` for a schema of another form. */
export function placeOf(
  options: Pick<PostgresStoreOptions, 'url' | 'schema' | 'patienceMs' | 'answerMs'>,
): Place {
  const { url, schema = 'countersign', patienceMs = 5_000, answerMs = 15_000 } = options
  checkSchema(schema)
  return { url, schema, connectMs: patienceMs, answerMs }
}

/** Throws `malformed` for a schema of another form. */
export function checkSchema(schema: string): void {
  if (!schemaRule.test(schema))
    throw new StoreError(
      'malformed',
      `schema: expected lower-case letters, digits and _, got ${JSON.stringify(schema)}`,
    )
}
