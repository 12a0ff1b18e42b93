export type { Declared, RawRow, StoreCapability, StoreSuiteOptions } from './section.ts'
export { storeSuite } from './suite.ts'
