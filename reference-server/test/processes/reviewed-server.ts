import { setTimeout as pause } from 'node:timers/promises'
import { ApiError } from '@countersign/client'
import { createPortalClient } from '@countersign/client/portal'
import { scratchDirectory } from './scratch.ts'
import { prepareStage } from './stage.ts'

// The reference server with a reviewer who approves what costs at most 1,000: a process for tests of other packages. It
// prints its URL and an application's key as a line of JSON, and ends with its standard input.
const stage = await prepareStage(scratchDirectory())
let ending = false
process.stdin.once('close', () => {
  ending = true
})
process.stdin.resume()
try {
  const { ingest, portal: portalUrl } = await stage.start()
  const portal = createPortalClient({ portalUrl })
  await portal.auth.login(stage.organization.reviewer)
  const told = { ingestUrl: ingest, apiKey: stage.organization.applicationKey }
  process.stdout.write(`${JSON.stringify(told)}\n`)

  const review = async (reviewCaseId: string) => {
    const seen = await portal.reviewCases.claim({ reviewCaseId })
    const { presentationDigest, presentation } = seen
    // Left to who asked.
    if (presentation?.amount === 0) return
    await portal.reviewCases.decide({
      case: seen,
      presentationDigest: presentationDigest ?? '',
      decision: Number(presentation?.amount) <= 1_000 ? 'approved' : 'rejected',
    })
  }
  while (!ending) {
    for await (const { reviewCaseId } of portal.reviewCases.list({ state: 'open' }))
      await review(reviewCaseId).catch((error: unknown) => {
        // Cancelled meanwhile.
        if (!(error instanceof ApiError && error.code === 'invalid_transition')) throw error
      })
    await pause(50)
  }
} finally {
  await stage.end()
}
