/** A frozen copy of plain data, as a store would give it back: members that are undefined are gone, bytes are copied. */
export function keep<T>(value: T): T {
  const seen = { bytes: false }
  const kept = copy(value, seen) as T
  if (seen.bytes) byteHolders.add(kept as object)
  return kept
}

/** What a reader gets: the kept data itself, or a copy where bytes lie in it, which can't be frozen. */
export function give<T>(kept: T): T {
  return byteHolders.has(kept as object) ? (copy(kept, { bytes: true }) as T) : kept
}

/** Kept data that contains bytes; found once, when it is kept, since reads are many. */
const byteHolders = new WeakSet<object>()

function copy(value: unknown, seen: { bytes: boolean }): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`expected plain data, got ${value}`)
      return value
    case 'object':
      return value === null || settled(value) ? value : copyObject(value, seen)
    default:
      throw new TypeError(`expected plain data, got ${typeof value} ${String(value)}`)
  }
}

function copyObject(value: object, seen: { bytes: boolean }): object {
  if (value instanceof Uint8Array) {
    seen.bytes = true
    return Uint8Array.from(value)
  }
  return Object.freeze(
    Array.isArray(value) ? value.map((item) => copy(item, seen)) : copyMembers(value, seen),
  )
}

function copyMembers(value: object, seen: { bytes: boolean }): object {
  if (!isPlain(value)) throw new TypeError(`expected plain data, got object ${String(value)}`)
  // A spread keeps the shape of what it copies, which makes the copy and all that reads it several times as quick.
  const made: Record<string, unknown> = { ...value }
  for (const name in made) {
    if (name === '__proto__') throw new TypeError('expected plain data, got a member __proto__')
    const member = made[name]
    if (member === undefined) return copyMembers(defined(made), seen)
    if (typeof member !== 'string') made[name] = copy(member, seen)
  }
  return made
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function defined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))
}

/** Whether a value is frozen throughout and so can be shared; mostly it was kept before. */
function settled(value: object): boolean {
  if (!Object.isFrozen(value)) return false
  if (Array.isArray(value)) return value.every(settledMember)
  if (!isPlain(value)) return false
  const members = value as Readonly<Record<string, unknown>>
  for (const name in members) if (!settledMember(members[name])) return false
  return true
}

function settledMember(value: unknown): boolean {
  if (typeof value === 'object') return value === null || settled(value)
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
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
