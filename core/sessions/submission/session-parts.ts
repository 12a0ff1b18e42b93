import { inSlices, type Slices } from '../../base/json/in-slices.ts'
import type { BlobObject } from '../../base/ports/blob-store.ts'
import type { Found } from '../../base/ports/store.ts'
import { type StoredSession, sessions, steps } from '../../content/records.ts'
import { type Seal, seals } from '../../content/seal-records.ts'
import { sessionAliases } from '../../content/trace-records.ts'
import type { Sealing } from '../../content/vault/vault.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { put } from '../../kernel/ledger/reads.ts'
import { consequencesOf } from '../../policies/consequences.ts'
import { defaultScorer } from '../../policies/scores/default-scorer.ts'
import { qualityParts } from '../../policies/scores/quality.ts'
import type { CaseParts } from '../../review/execution/change-set.ts'
import type { Scene } from '../../review/execution/scene.ts'
import { completedEvent } from '../completion.ts'
import type { IngestDeps } from '../deps.ts'
import { createBundle } from '../payloads.ts'
import { type JudgedSession, storeSubmitted } from './store-submitted.ts'

/** Parts of a batch's commit that are of one of its sessions. */
export interface SessionParts extends CaseParts {
  /** Stored before the commit; null for a session without content. */
  readonly blob: BlobObject | null
  readonly reviewCaseIds: readonly string[]
}

/** What a batch has for each of its sessions. */
export interface ForSession {
  readonly scene: Scene
  readonly sealing: Sealing
  /** What the session's `consequenceReads` found. */
  readonly implied: readonly Found[]
  readonly sealed: NonNullable<StoredSession['sealed']>
  readonly slices: Slices
}

/** Seals the contents of a new session, which is complete and in its batch, with all that its judgements entail. */
export async function sessionParts(
  deps: IngestDeps,
  unit: UnitOfWork,
  each: JudgedSession,
  { scene, sealing, implied, sealed, slices }: ForSession,
): Promise<SessionParts> {
  const { tenantId, applicationId, sessionId } = each.key
  const bundle = createBundle(deps, unit, each.key, sealing)
  const stored = await inSlices(storeSubmitted(each, bundle, unit.now, slices), deps.pause)
  const judged = each.judged.map((one, at) => ({ ...one, payloads: stored.payloads[at] ?? [] }))
  const entailing = consequencesOf(deps, scene, each.key, judged, implied, slices)
  const entailed = await inSlices(entailing, deps.pause)
  const rows = stored.finish(entailed, sealed)
  const ended = bundle.end()
  const scored = qualityParts(deps.scorer ?? defaultScorer, scene, rows.session, undefined)
  const session: StoredSession = {
    ...rows.session,
    quality: scored.quality,
    openFlags: rows.session.openFlags + scored.flags,
  }
  const seal: Seal = {
    ...each.key,
    ...sealed,
    revision: 1,
    leafHash: each.leaf.leafHash,
    sealedAt: unit.now,
    head: null,
  }
  return {
    blob: ended?.blob ?? null,
    reviewCaseIds: entailed.reviewCaseIds,
    puts: [
      ...(ended ? [ended.put] : []),
      put(sessions, session, null),
      put(seals, seal, null),
      ...scored.puts,
      ...rows.steps.map((step) => put(steps, step, null)),
      ...entailed.puts,
    ],
    checks: [
      ...entailed.checks,
      { in: sessionAliases.name, key: [tenantId, applicationId, sessionId], version: 0 },
    ],
    appends: entailed.appends,
    events: [...entailed.events, completedEvent(scene, session), ...scored.events],
  }
}
