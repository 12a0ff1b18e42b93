export type { ServedApplication } from './message.ts'
export { type OutcomeSuiteOptions, runOutcomeSuite } from './suite.ts'
