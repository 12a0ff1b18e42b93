/** What a suite found wrong; any runner takes a thrown error for a failed test. */
export class ConformanceError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ConformanceError'
  }
}

/** Readable in one line: bytes as hex, undefined by name. */
export function show(value: unknown): string {
  return (
    JSON.stringify(value, (_, member: unknown) => {
      if (member instanceof Uint8Array) return `0x${hex(member)}`
      if (member === undefined) return 'undefined'
      if (typeof member === 'bigint') return `${member}n`
      return member instanceof Map ? [...member] : member
    }) ?? 'undefined'
  )
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

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

export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  if (!same(actual, expected))
    throw new ConformanceError(`${what}: expected ${show(expected)}, got ${show(actual)}`)
}

export function expect(holds: boolean, what: string): asserts holds {
  if (!holds) throw new ConformanceError(what)
}

/** The error that a promise rejects with; a promise that resolves fails the test. */
export async function expectRejection(promise: Promise<unknown>, what: string): Promise<Error> {
  let value: unknown
  try {
    value = await promise
  } catch (error) {
    if (error instanceof Error) return error
    throw new ConformanceError(`${what}: expected an Error, got the rejection ${show(error)}`)
  }
  throw new ConformanceError(`${what}: expected a rejection, got ${show(value)}`)
}
