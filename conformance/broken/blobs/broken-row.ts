import type { Change } from './host.ts'

/** A fault, and the name of the test that finds it. */
export type BrokenRow = readonly [name: string, killedBy: string, change: Change]
