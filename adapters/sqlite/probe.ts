import type { Statements } from './statements.ts'

/** As much as a case with its presentation, event and delivery takes: where this fits, an ordinary write does. */
const probeBytes = 32 * 1024

// The new row comes before the old one goes, so that it needs pages of its own.
const insert = `INSERT INTO _probes (number, filling)
  VALUES ((SELECT coalesce(max(number), 0) + 1 FROM _probes), zeroblob(${probeBytes})) RETURNING number`
const clear = 'DELETE FROM _probes WHERE number < ?'
const newest = 'SELECT coalesce(max(number), 0) FROM _probes'

/** Within a transaction: writes a row of an ordinary size and answers its number. */
export function writeProbe(statements: Statements): number {
  const [number] = statements.of(insert).get() as [number]
  statements.of(clear).run([number])
  return number
}

export function readProbe(statements: Statements): number {
  const [number] = statements.of(newest).get() as [number]
  return number
}
