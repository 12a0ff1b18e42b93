import type { BrokenStore } from './broken-store.ts'
import { conditionFaults } from './conditions.ts'
import { groupFaults, sizeFaults } from './groups.ts'
import { lastingFaults } from './lasting.ts'
import { counterFaults, logFaults } from './logs.ts'
import { orderFaults } from './orders.ts'
import { pagingFaults } from './paging.ts'
import { queueFaults } from './queues.ts'
import { snapshotFaults } from './snapshots.ts'
import { rangeFaults, tenantFaults } from './tenants.ts'
import { uniqueFaults } from './uniques.ts'
import { valueFaults } from './values.ts'
import { atomicityFaults, versionFaults } from './versions.ts'

export { type BrokenStore, type StoreFaultClass, storeFaultClasses } from './broken-store.ts'
export { type StoreHost, storeHost } from './host.ts'

/** Stores that the suite must fail, each by the test that is named. */
export const brokenStores: readonly BrokenStore[] = [
  ...atomicityFaults,
  ...versionFaults,
  ...groupFaults,
  ...sizeFaults,
  ...uniqueFaults,
  ...tenantFaults,
  ...rangeFaults,
  ...valueFaults,
  ...orderFaults,
  ...conditionFaults,
  ...pagingFaults,
  ...queueFaults,
  ...snapshotFaults,
  ...logFaults,
  ...counterFaults,
  ...lastingFaults,
]
