/** Equality of plain data; bytes must be Uint8Arrays proper, for a subclass behaves otherwise in places. */
export function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  if (a instanceof Uint8Array || b instanceof Uint8Array)
    return (
      isPlainBytes(a) &&
      isPlainBytes(b) &&
      a.length === b.length &&
      a.every((byte, at) => byte === b[at])
    )
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every(
      (name) => Object.hasOwn(b, name) && same(Reflect.get(a, name), Reflect.get(b, name)),
    )
  )
}

function isPlainBytes(value: object): value is Uint8Array {
  return Object.getPrototypeOf(value) === Uint8Array.prototype
}
