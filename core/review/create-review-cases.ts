import { createListAttempts } from './callback/list-attempts.ts'
import { createCommands } from './commands.ts'
import type { ReviewDeps } from './deps.ts'
import { createOpen } from './open-case.ts'
import { createList, createRead } from './queries.ts'
import type { ReviewCaseUseCases } from './use-cases.ts'

export function createReviewCases(ports: ReviewDeps): ReviewCaseUseCases {
  return {
    open: createOpen(ports),
    read: createRead(ports),
    list: createList(ports),
    listCallbackAttempts: createListAttempts(ports),
    ...createCommands(ports),
  }
}
