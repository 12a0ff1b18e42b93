export type { WorkHandler } from './handler.ts'
export { schedule, type WorkItem, workItems } from './records.ts'
export { createRetention, retentionEveryMs } from './retention.ts'
export { createRunner, type RunnerOptions } from './runner.ts'
