import type { Value, Where } from '@countersign/core/ports'

/** Null first, numbers by size, text by its UTF-8 bytes. */
export function compareValues(a: Value, b: Value): number {
  if (a === b) return 0
  if (a === null) return -1
  if (b === null) return 1
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return compareTexts(String(a), String(b))
}

/** The order of the UTF-8 bytes of two texts, which is that of their code points. */
function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  let at = 0
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at++
  if (at === length) return a.length - b.length
  // Both units may be the second half of a pair, whose first halves are then equal.
  return (a.codePointAt(at) ?? 0) - (b.codePointAt(at) ?? 0)
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
