import { createSection, type StoreSuiteOptions } from './section.ts'
import { commits } from './sections/commits.ts'
import { durability } from './sections/durability.ts'
import { histories } from './sections/histories.ts'
import { lists } from './sections/lists.ts'
import { logs } from './sections/logs.ts'
import { queues } from './sections/queues.ts'
import { ranges } from './sections/ranges.ts'
import { tenancy } from './sections/tenancy.ts'
import { uniques } from './sections/uniques.ts'
import { values } from './sections/values.ts'

/** Proves a store: every test gets one of its own; what it can't do is skipped by a declared capability, with the reason. */
export function storeSuite(options: StoreSuiteOptions): void {
  const section = createSection(options)
  for (const part of [
    commits,
    uniques,
    tenancy,
    queues,
    lists,
    logs,
    ranges,
    values,
    durability,
    histories,
  ])
    part(section)
}
