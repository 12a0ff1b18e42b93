import type { ReviewRoom } from './act.ts'
import { createCommands } from './commands.ts'
import { createOpen } from './open.ts'
import { createList, createRead } from './queries.ts'
import type { ReviewCaseUseCases } from './use-cases.ts'

export function createReviewCases(room: ReviewRoom): ReviewCaseUseCases {
  return {
    open: createOpen(room),
    read: createRead(room),
    list: createList(room),
    ...createCommands(room),
  }
}
