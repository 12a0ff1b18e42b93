import { StoreError, type StoreErrorCode } from '@countersign/core/ports'

/** SQLSTATE of an error of the server; '' for anything else, as a broken connection. */
export function stateOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^[0-9A-Z]{5}$/.test(code) ? code : ''
}

// SQLSTATEs by their beginning; the first that fits counts.
const codes: readonly (readonly [prefix: string, code: StoreErrorCode, says: string])[] = [
  ['53100', 'full', 'the disk of the database server is full'],
  ['53', 'busy', 'the database server is out of connections or memory'],
  ['55P03', 'busy', 'a lock was held for too long'],
  ['57014', 'busy', 'a statement took too long'],
  ['57P03', 'busy', 'the database server is starting or stopping'],
  ['40', 'busy', 'other transactions met this one again and again'],
  ['23514', 'malformed', 'a counter would leave 2^53'],
  ['54000', 'malformed', 'a text is too long for an index'],
  ['XX001', 'corrupt', 'data of the database is damaged'],
  ['XX002', 'corrupt', 'an index of the database is damaged'],
  ['42', 'incompatible', 'the database is not what this program expects'],
  ['3F', 'incompatible', 'the schema is missing'],
  ['3D', 'incompatible', 'the database is missing'],
  ['28', 'io', 'the database server refused the login'],
  ['25006', 'io', 'the database server is a standby and takes no writes'],
  ['57P', 'io', 'the database server ended the connection'],
  ['08', 'io', 'the connection to the database server broke'],
]

/** The error as the store port names it. */
export function translate(error: unknown): StoreError {
  if (error instanceof StoreError) return error
  const state = stateOf(error)
  const message = error instanceof Error ? error.message : String(error)
  // The server reports a file that it can't extend as an internal error, too.
  if (/could not extend file/.test(message))
    return new StoreError('full', `the disk of the database server is full (${state})`, {
      cause: error,
    })
  const known = state && codes.find(([prefix]) => state.startsWith(prefix))
  if (known) return new StoreError(known[1], `${known[2]} (${state}: ${message})`, { cause: error })
  return new StoreError('io', `the database server can not be used: ${message}`, { cause: error })
}

/** Whether the error ended the connection, so that an answer may be missing. */
export function endsConnection(error: unknown): boolean {
  return /^(?:|08...|57P0[123]|25006)$/.test(stateOf(error))
}

/** Whether a guard of a statement, a unique index or another transaction stopped this one: it is to be judged row by row. */
export function isMet(error: unknown): boolean {
  return /^(?:22012|23505|40P01|40001)$/.test(stateOf(error))
}
