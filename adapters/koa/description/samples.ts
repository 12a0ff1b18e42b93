import type { Route } from '../operation.ts'

/** A request that an operation takes, and what it is answered with; ids and times are of one moment. */
export interface OperationSample {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  /** Members without which the body is refused. */
  readonly body?: Readonly<Record<string, unknown>>
  /** Members that may be left out. */
  readonly optional?: Readonly<Record<string, unknown>>
  readonly answer: unknown
}

/** One sample an operation, by `<host> <name>`. */
export type Samples = Readonly<Record<string, OperationSample>>

/** The key of an operation's sample. */
export function sampleKeyOf({ host, name }: Pick<Route, 'host' | 'name'>): string {
  return `${host} ${name}`
}
