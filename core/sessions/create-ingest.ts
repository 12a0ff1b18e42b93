import { createAcceptExport } from './accept/accept-export.ts'
import { createAcceptSpans } from './accept/accept-spans.ts'
import type { IngestDeps } from './deps.ts'
import { createAcceptSubmission, createSubmit } from './submission/submit.ts'
import type { IngestStreams } from './use-cases.ts'

export function createIngest(deps: IngestDeps): IngestStreams {
  const acceptSpans = createAcceptSpans(deps)
  const submit = createSubmit(deps)
  return {
    acceptExport: createAcceptExport(deps, acceptSpans),
    acceptSpans,
    submit,
    acceptSubmission: createAcceptSubmission(deps, submit),
  }
}
