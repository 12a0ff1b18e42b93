export type { Served } from './message.ts'
export { type OutcomeSuiteOptions, runOutcomeSuite } from './suite.ts'
