import { difference } from './difference.ts'
import { same } from './same.ts'
import { show } from './show.ts'

export { same, show }

/** What a suite found wrong; any runner takes a thrown error for a failed test. */
export class ConformanceError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ConformanceError'
  }
}

export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  if (!same(actual, expected))
    throw new ConformanceError(`${what}: ${difference(actual, expected)}`)
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
