export type { WorkHandler, WorkStep } from './handler.ts'
export { schedule, type WorkItem, workItems } from './records.ts'
export { createRetention, type RetentionOptions, retentionEveryMs } from './retention.ts'
export { createRunner, type Runner, type RunnerOptions, retryDelay } from './runner.ts'
