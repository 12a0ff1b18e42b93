import { bytesToHex } from '@noble/hashes/utils.js'
import { CanonicalizationError } from '../../base/canonical/canonicalize.ts'
import { createSlices, inSlices } from '../../base/json/in-slices.ts'
import type { Batch } from '../../content/seal-records.ts'
import type { CustomerKeyActor } from '../../kernel/callers/actor.ts'
import { authorizeCustomerKey } from '../../kernel/callers/authorize.ts'
import { refuseErrors, wrong } from '../../kernel/ledger/input-errors.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import type { IngestDeps } from '../deps.ts'
import { batchView } from '../present.ts'
import { quotaExceeded } from '../quota.ts'
import { rootOf } from '../seal/new-batch.ts'
import type { IngestStreams } from '../use-cases.ts'
import { checkSubmission } from './check-submission.ts'
import { incomingSession } from './incoming-session.ts'
import { type Leaf, leafEntry } from './leaf.ts'
import { planSubmission } from './plan-submission.ts'
import { readSubmission } from './read-submission.ts'
import type { Submission } from './submitted.ts'

/** Takes the body of a submission: reads it in slices, then takes its sessions. */
export function createAcceptSubmission(
  { pause }: Pick<IngestDeps, 'pause'>,
  submit: IngestStreams['submit'],
): IngestStreams['acceptSubmission'] {
  return async (actor, body) => {
    const allowed = authorizeCustomerKey(actor, 'sendSessions')
    if (!allowed.ok) return allowed
    const read = await inSlices(readSubmission(body), pause)
    return read.ok ? submit(actor, read.value) : read
  }
}

/** Takes a batch of whole sessions under the root that the application computed. */
export function createSubmit(deps: IngestDeps): IngestStreams['submit'] {
  return async (actor, submission) => {
    const allowed = authorizeCustomerKey(actor, 'sendSessions')
    if (!allowed.ok) return allowed
    const hashed = await inSlices(hashedOf(submission, deps.sha256), deps.pause)
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
    const slices = createSlices()
    const leaves: Leaf[] = []
    for (const [at, each] of hashed.value.entries()) {
      const submitted = sessions[at] as (typeof sessions)[number]
      const reading = incomingSession(submitted, pseudonyms, slices)
      leaves.push({ ...each, session: await inSlices(reading, deps.pause) })
    }
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
  return done.value ? ok(batchView(done.value)) : quotaExceeded(deps, actor.tenantId)
}

/** The canonical text of each session of a sound submission, and the hash of its leaf. */
function* hashedOf(
  submission: Submission,
  sha256: IngestDeps['sha256'],
): Generator<undefined, Result<readonly Omit<Leaf, 'session'>[]>> {
  const slices = createSlices()
  const malformed = refuseErrors(yield* checkSubmission(submission, slices))
  if (malformed) return malformed
  const leaves: Omit<Leaf, 'session'>[] = []
  for (const [at, session] of submission.sessions.entries())
    try {
      const entry = yield* leafEntry(session, slices)
      if (slices.spend(entry.length)) yield
      leaves.push({ text: entry.subarray(1), leafHash: bytesToHex(sha256(entry)) })
    } catch (error) {
      if (!(error instanceof CanonicalizationError)) throw error
      return refuseErrors([wrong(`/sessions/${at}${error.pointer}`, error.message)])
    }
  return ok(leaves)
}
