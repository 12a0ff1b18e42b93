/** Whether two JSON values are the same, whatever the order of their members. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [ofA, ofB] = [Object.entries(a), Object.entries(b)]
  const other = b as Readonly<Record<string, unknown>>
  return (
    ofA.length === ofB.length &&
    ofA.every(([name, value]) => Object.hasOwn(other, name) && sameJson(value, other[name]))
  )
}
