import { createSection, type StoreSuiteOptions } from './section.ts'
import { commits } from './sections/commits.ts'
import { conditions } from './sections/conditions.ts'
import { durability } from './sections/durability.ts'
import { histories } from './sections/histories.ts'
import { lists } from './sections/lists.ts'
import { logs } from './sections/logs.ts'
import { queues } from './sections/queues.ts'
import { ranges } from './sections/ranges.ts'
import { sharing } from './sections/sharing.ts'
import { sizes } from './sections/sizes.ts'
import { tenancy } from './sections/tenancy.ts'
import { uniques } from './sections/uniques.ts'
import { values } from './sections/values.ts'

/**
 * Proves a store: every test gets an empty one; what it can't do is skipped by a declared capability, with the reason.
 *
 * @example
 * ```ts
 * import test from 'node:test'
 * import { storeSuite } from '@countersign/conformance/store'
 * import { openMyStore } from './my-store.js'
 *
 * storeSuite({ test, create: (declared) => openMyStore(declared) })
 * ```
 */
export function storeSuite(options: StoreSuiteOptions): void {
  const section = createSection(options)
  for (const part of [
    commits,
    uniques,
    tenancy,
    queues,
    lists,
    conditions,
    logs,
    ranges,
    values,
    sizes,
    durability,
    sharing,
    histories,
  ])
    part(section)
  section.end()
}
