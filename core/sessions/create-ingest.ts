import { createAcceptExport } from './accept/accept-export.ts'
import { createAcceptSpans } from './accept/accept-spans.ts'
import type { IngestDeps } from './deps.ts'
import { createListSessions } from './list-sessions.ts'
import { createQueries } from './queries.ts'
import { createAcceptSubmission, createSubmit } from './submission/submit.ts'
import type { IngestUseCases } from './use-cases.ts'

export function createIngest(deps: IngestDeps): IngestUseCases {
  const acceptSpans = createAcceptSpans(deps)
  const submit = createSubmit(deps)
  return {
    acceptExport: createAcceptExport(deps, acceptSpans),
    acceptSpans,
    submit,
    acceptSubmission: createAcceptSubmission(deps, submit),
    listSessions: createListSessions(deps),
    ...createQueries(deps),
  }
}
