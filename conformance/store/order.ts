import type { Value, Where } from '@countersign/core/ports'

const utf8 = new TextEncoder()

/** Null first, numbers by size, text by its UTF-8 bytes. */
export function compareValues(a: Value, b: Value): number {
  if (a === b) return 0
  if (a === null) return -1
  if (b === null) return 1
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const left = utf8.encode(String(a))
  const right = utf8.encode(String(b))
  for (const [at, byte] of left.entries()) {
    const other = right[at]
    if (other === undefined) return 1
    if (byte !== other) return byte - other
  }
  return left.length - right.length
}

type Row = Readonly<Record<string, Value>>

export function compareRows(columns: readonly string[], a: Row, b: Row): number {
  for (const column of columns) {
    const order = compareValues(a[column] ?? null, b[column] ?? null)
    if (order !== 0) return order
  }
  return 0
}

export function matches(row: Row, where: Where): boolean {
  return where.every(([column, is, value]) => {
    const found = row[column] ?? null
    if (is === '=') return found === value
    if (found === null) return false
    const order = compareValues(found, value)
    if (is === '<') return order < 0
    if (is === '<=') return order <= 0
    return is === '>' ? order > 0 : order >= 0
  })
}
