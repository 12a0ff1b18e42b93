import { createCommands } from './commands.ts'
import { createOpen } from './open.ts'
import type { ReviewPorts } from './ports.ts'
import { createList, createRead } from './queries.ts'
import type { ReviewCaseUseCases } from './use-cases.ts'

export function createReviewCases(ports: ReviewPorts): ReviewCaseUseCases {
  return {
    open: createOpen(ports),
    read: createRead(ports),
    list: createList(ports),
    ...createCommands(ports),
  }
}
