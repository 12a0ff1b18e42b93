import { readFileSync } from 'node:fs'
import type { Route } from '../index.ts'

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

const file = new URL('../../description/samples.json', import.meta.url)

/** One sample an operation, by `<host> <name>`. */
export const samples: Readonly<Record<string, OperationSample>> = JSON.parse(
  readFileSync(file, 'utf8'),
)

export function sampleKeyOf({ host, name }: Pick<Route, 'host' | 'name'>): string {
  return `${host} ${name}`
}
