import { StoreError, type StoreErrorCode } from '@countersign/core/ports'

// Result codes of SQLite by their beginning, extended codes (SQLITE_IOERR_WRITE) included.
const codes: readonly (readonly [prefix: string, code: StoreErrorCode, says: string])[] = [
  ['SQLITE_FULL', 'full', 'the disk, or the size allowed to the database, is full'],
  ['SQLITE_BUSY', 'busy', 'another process held the database for too long'],
  ['SQLITE_LOCKED', 'busy', 'another connection held the database for too long'],
  ['SQLITE_CORRUPT', 'corrupt', 'the database file is damaged: restore a backup'],
  ['SQLITE_NOTADB', 'corrupt', 'the file is no SQLite database'],
  ['SQLITE_IOERR', 'io', 'the operating system failed to read or write the database'],
  ['SQLITE_READONLY', 'io', 'the database can not be written to'],
  ['SQLITE_CANTOPEN', 'io', 'the database file can not be opened'],
  ['SQLITE_PROTOCOL', 'busy', 'other processes kept the lock of the write-ahead log'],
  ['SQLITE_NOMEM', 'io', 'memory ran out'],
]

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** The store's word for an error of the driver; anything else is given back as it came. */
export function translate(error: unknown): unknown {
  const code = codeOf(error)
  const known = codes.find(([prefix]) => code.startsWith(prefix))
  if (!known) return error
  return new StoreError(known[1], `${known[2]} (${code})`, { cause: error })
}

/**
 * The store's word for an error of the driver while the store is at work. SQLite says CORRUPT also where the system
 * failed to read a page (EIO, ENXIO), so that a file counts as damaged only once it was checked.
 */
export function translateLive(error: unknown): unknown {
  const told = translate(error)
  if (!isUnread(error) || !(told instanceof StoreError) || told.code === 'io') return told
  const says =
    'a page of the database could not be read: the system failed to read it, or the file is damaged, which a check tells'
  return new StoreError('io', `${says} (${codeOf(error)})`, { cause: error })
}

/** Whether another try at reading may succeed, for all that SQLite says. */
export function isUnread(error: unknown): boolean {
  return /^SQLITE_(?:CORRUPT|IOERR)/.test(codeOf(error))
}

const faultCodes: ReadonlySet<StoreErrorCode> = new Set(['full', 'busy', 'io', 'corrupt'])

/** Whether the fault lies with the database itself, so that every set of the transaction shares it. */
export function isFault(error: unknown): boolean {
  const translated = translate(error)
  return translated instanceof StoreError && faultCodes.has(translated.code)
}
