/** A frozen copy of plain data, as a store would give it back: members that are undefined are gone, bytes are copied. */
export function keep<T>(value: T): T {
  const kept = copy(value, Object.freeze) as T
  if (holdsBytes(kept)) byteHolders.add(kept as object)
  return kept
}

/** What a reader gets: the kept data itself, or a copy where bytes lie in it, which can't be frozen. */
export function give<T>(kept: T): T {
  return byteHolders.has(kept as object) ? (copy(kept, Object.freeze) as T) : kept
}

/** Looked through once, when they are kept, for they are given at every read. */
const byteHolders = new WeakSet<object>()

function holdsBytes(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return value instanceof Uint8Array || Object.values(value).some(holdsBytes)
}

function copy(value: unknown, seal: <O extends object>(made: O) => O): unknown {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new TypeError(`expected plain data, got ${value}`)
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value
  if (value instanceof Uint8Array) return Uint8Array.from(value)
  if (Array.isArray(value)) return seal(value.map((item) => copy(item, seal)))
  if (typeof value === 'object') {
    const prototype = Object.getPrototypeOf(value)
    if (prototype === Object.prototype || prototype === null) return copyMembers(value, seal)
  }
  throw new TypeError(`expected plain data, got ${typeof value} ${String(value)}`)
}

function copyMembers(value: object, seal: <O extends object>(made: O) => O): object {
  const made: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    if (name === '__proto__') throw new TypeError('expected plain data, got a member __proto__')
    if (member !== undefined) made[name] = copy(member, seal)
  }
  return seal(made)
}

/** Whether two pieces of plain data hold the same; a member that is undefined counts as absent. */
export function sameData(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (a instanceof Uint8Array || b instanceof Uint8Array)
    return (
      a instanceof Uint8Array &&
      b instanceof Uint8Array &&
      a.length === b.length &&
      a.every((byte, at) => byte === b[at])
    )
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...names].every((name) =>
    sameData(Reflect.get(a, name) as unknown, Reflect.get(b, name) as unknown),
  )
}
