import { ApiError, type CaseAnswer, type Client, nullFor } from '@countersign/client'

type Report = Parameters<Client['reviewCases']['reportContinuation']>[0]

/** Ms between tries while the service is away. */
const retryMs = 1_000

/**
 * Claims the approval of a case for one run, and returns the case as it was claimed; null where another run has it. The
 * first continuation that is reported wins, and later reports are answered with it: so a claim is ours if its detail is.
 * A claim without an answer is repeated with the same detail until there is one. The signal ends no claim that is under
 * way: whether it was ours would never be known, and nobody could use the approval any more.
 */
export async function claimApproval(
  client: Client,
  reviewCaseId: string,
  signal: AbortSignal | undefined,
): Promise<CaseAnswer | null> {
  const detail = `run-${crypto.randomUUID()}`
  const claim = { reviewCaseId, outcome: 'resumed', detail } as const
  signal?.throwIfAborted()
  const claimed = await patiently(signal, () => report(client, claim)).catch(
    nullFor('continuation_conflict'),
  )
  const { continuation } = claimed ?? {}
  return continuation?.outcome === 'resumed' && continuation.detail === detail ? claimed : null
}

/** Whether a run began under this approval. */
export function isSpent({ continuation }: CaseAnswer): boolean {
  return continuation !== null && continuation.outcome !== 'remained_paused'
}

/** Reports that the action ran, that it did not, or that another call took its place; evidence then has what came of the decision. */
export async function reportEnd(
  client: Client,
  reviewCaseId: string,
  outcome: 'resumed' | 'terminated' | 'superseded',
): Promise<void> {
  // It was reported before, or the case takes no reports any more.
  const known = nullFor('continuation_conflict', 'case_expired', 'invalid_transition')
  await report(client, { reviewCaseId, outcome }).catch(known)
}

/** Repeats a call while the service is away; rejects with the signal's reason, and with what is no use repeating. */
export async function patiently<T>(
  signal: AbortSignal | undefined,
  call: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof ApiError && isAway(error))) throw error
      await pause(retryMs, signal)
    }
  }
}

function report(client: Client, asked: Report): Promise<CaseAnswer> {
  return client.reviewCases.reportContinuation(asked)
}

/** Whether a call may end otherwise the next time. */
function isAway({ code, status, lasting }: ApiError): boolean {
  if (code === 'no_answer' || code === 'deadline_exceeded') return !lasting
  return status === 429 || (status !== null && status >= 500)
}

/** Resolves after `ms`; rejects with the signal's reason once it aborts. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
