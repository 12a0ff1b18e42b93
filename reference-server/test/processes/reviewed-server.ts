import { setTimeout as pause } from 'node:timers/promises'
import { ApiError } from '@countersign/client'
import { createPortalClient } from '@countersign/client/portal'
import { scratchDirectory } from './scratch.ts'
import { prepareStage } from './stage.ts'

// The reference server with a reviewer who approves what costs at most 1,000 (with `--unreviewed`: none): a process for
// tests of other packages. It prints its URLs, an application's key and the reviewer's credentials as a line of JSON, and
// ends with its standard input.
const unreviewed = process.argv.includes('--unreviewed')
const stage = await prepareStage(scratchDirectory())
let ending = false
const ended = new Promise<void>((resolve) => {
  process.stdin.once('close', () => {
    ending = true
    resolve()
  })
})
process.stdin.resume()
try {
  const { ingest, portal: portalUrl } = await stage.start()
  const portal = createPortalClient({ portalUrl })
  const { reviewer, applicationKey } = stage.organization
  await portal.auth.login(reviewer)
  const told = { ingestUrl: ingest, apiKey: applicationKey, portalUrl, reviewer }
  process.stdout.write(`${JSON.stringify(told)}\n`)
  if (unreviewed) await ended

  const review = async (reviewCaseId: string) => {
    const seen = await portal.reviewCases.claim({ reviewCaseId })
    const { presentationDigest, presentation } = seen
    const { action } = { ...presentation } as { action?: { arguments?: { amount?: unknown } } }
    const amount = Number(action?.arguments?.amount)
    // Left to who asked.
    if (amount === 0) return
    await portal.reviewCases.decide({
      case: seen,
      presentationDigest: presentationDigest ?? '',
      decision: amount <= 1_000 ? 'approved' : 'rejected',
      comment: amount <= 1_000 ? null : 'Above 1,000.',
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
