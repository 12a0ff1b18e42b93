import type { Collection } from '@countersign/core/ports'

export interface Job {
  readonly lane: string
  readonly jobId: string
  readonly due: number | null
  readonly claims: number
}

export const jobs: Collection<Job> = {
  name: 'jobs',
  key: ['lane', 'jobId'],
  columns: { lane: 'text', jobId: 'text', due: 'int', claims: 'int' },
  indexes: {},
  queue: { lane: 'lane', due: 'due', claims: 'claims' },
  tenant: 'system',
  purge: { keep: 'made by a test' },
  retain: { keep: 'made by a test' },
}
