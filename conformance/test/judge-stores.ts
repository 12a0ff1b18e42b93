import type { BrokenInbox, BrokenStore } from '@countersign/conformance/broken'
import { inboxSuite } from '@countersign/conformance/inbox'
import { storeSuite } from '@countersign/conformance/store'
import { failuresOf } from './run-suite.ts'

/** What the test that is named for the fault found; undefined where the store got past it. */
export async function judgeStore({ killedBy, host }: BrokenStore): Promise<string | undefined> {
  const only = `store: ${killedBy}`
  const found = await failuresOf((test) => storeSuite({ test, ...host(), runs: 30 }), only)
  return found.get(only)
}

/** The same for an inbox. */
export async function judgeInbox({ killedBy, host }: BrokenInbox): Promise<string | undefined> {
  const only = `inbox: ${killedBy}`
  const found = await failuresOf((test) => inboxSuite({ test, ...host(), runs: 100 }), only)
  return found.get(only)
}

interface Broken {
  readonly name: string
  readonly group: string
  readonly killedBy: string
}

/** The names of those that escaped, by class; a class without any is absent. */
export async function escaped<B extends Broken>(
  all: readonly B[],
  judge: (one: B) => Promise<string | undefined>,
): Promise<readonly string[]> {
  const names: string[] = []
  for (const one of all)
    if ((await judge(one)) === undefined) names.push(`${one.group}: ${one.name} (${one.killedBy})`)
  return names
}

/** One for each test of the suite that a fault is named for. */
export const sampleOf = <B extends Broken>(all: readonly B[]): readonly B[] => [
  ...new Map([...all].reverse().map((one) => [one.killedBy, one])).values(),
]
