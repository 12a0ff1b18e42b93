import { bytesToHex } from '@noble/hashes/utils.js'
import type { CustomerKeyActor } from '../../access/actor.ts'
import { authorizeCustomerKey } from '../../access/authorize.ts'
import { CanonicalizationError, canonicalize } from '../../canonical/canonicalize.ts'
import { refuseErrors, wrong } from '../../ledger/input-errors.ts'
import { ok, type Result, refuse } from '../../ledger/refusal.ts'
import { leafHash } from '../../merkle/hash.ts'
import type { Batch } from '../../sessions/seal-records.ts'
import type { IngestDeps } from '../deps.ts'
import { batchView } from '../present.ts'
import { quotaExceeded } from '../quota.ts'
import { rootOf } from '../seal/new-batch.ts'
import type { IngestUseCases } from '../use-cases.ts'
import { checkSubmission } from './check-submission.ts'
import { incomingSession } from './incoming-session.ts'
import type { Leaf } from './leaf.ts'
import { planSubmission } from './plan-submission.ts'
import type { Submission } from './submitted.ts'

const utf8 = new TextEncoder()

/** Takes a batch of whole sessions under the root that the application computed. */
export function createSubmit(deps: IngestDeps): IngestUseCases['submit'] {
  return async (actor, submission) => {
    const allowed = authorizeCustomerKey(actor, 'sendSessions')
    if (!allowed.ok) return allowed
    const malformed = refuseErrors(checkSubmission(submission))
    if (malformed) return malformed
    const hashed = textsOf(submission)
    if (!hashed.ok) return hashed
    const { batchId, merkleRoot, sessions } = submission
    const computed = rootOf(hashed.value.map((each) => each.leafHash))
    if (computed !== merkleRoot)
      return refuse(
        'merkle_root_mismatch',
        'the root is not that of these sessions; nothing was stored',
        { facts: { expected: merkleRoot, computed } },
      )
    const pseudonyms = await deps.vault.pseudonyms(allowed.value.tenantId)
    const leaves = hashed.value.map(
      (each, at): Leaf => ({
        ...each,
        session: incomingSession(sessions[at] as (typeof sessions)[number], pseudonyms),
      }),
    )
    return store(deps, allowed.value, batchId, merkleRoot, leaves)
  }
}

async function store(
  deps: IngestDeps,
  actor: CustomerKeyActor,
  batchId: string,
  merkleRoot: string,
  leaves: readonly Leaf[],
) {
  const done = await deps.ledger.execute<Batch | null>(actor.tenantId, (unit) =>
    planSubmission(deps, unit, { actor, batchId, merkleRoot, leaves }),
  )
  if (!done.ok) return done
  return done.value ? ok(batchView(done.value)) : quotaExceeded(deps, actor)
}

/** The canonical text of each session, and the hash of its leaf. */
function textsOf({
  sessions,
}: Submission): Result<readonly { readonly text: string; readonly leafHash: string }[]> {
  const texts: { text: string; leafHash: string }[] = []
  for (const [at, session] of sessions.entries())
    try {
      const text = canonicalize(session)
      texts.push({ text, leafHash: bytesToHex(leafHash(utf8.encode(text))) })
    } catch (error) {
      if (!(error instanceof CanonicalizationError)) throw error
      return refuseErrors([wrong(`/sessions/${at}${error.pointer}`, error.message)])
    }
  return ok(texts)
}
