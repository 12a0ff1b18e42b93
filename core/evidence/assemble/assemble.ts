import { createSlices, inSlices } from '../../base/json/in-slices.ts'
import type { Read } from '../../base/ports/store.ts'
import type { SessionKey } from '../../content/records.ts'
import { evidenceLimits } from '../../kernel/ledger/limits.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import { type EvidenceSigner, signLargeDocument } from '../../proof/sign.ts'
import { sizeOf } from '../../review/machine/case-size.ts'
import type { EvidenceDeps } from '../deps.ts'
import type { EvidenceDocument } from '../model.ts'
import { type Contents, openContents } from './contents.ts'
import { evidenceOf } from './document.ts'
import { payloadsOf, readFacts, type SessionFacts } from './facts.ts'

/** How often a session is read again whose content goes while it is read. */
export const mostTries = 5

/** A document, and whose data it has. */
export interface AssembledEvidence {
  readonly document: EvidenceDocument
  /** The vault's subjects whose content it has in clear text, each with the name of its key. */
  readonly keys: ReadonlyMap<string, string>
  /** Pseudonyms of those whom its session, a step or a case names. */
  readonly named: ReadonlySet<string>
}

/**
 * The signed evidence document of a session, as of one snapshot of the store. Refuses with `not_found` when the session
 * is gone, and with `evidence_too_large`. `now` is ms.
 */
export async function assembleEvidence(
  deps: EvidenceDeps,
  key: SessionKey,
  { now, signer }: { readonly now: number; readonly signer: EvidenceSigner },
): Promise<Result<AssembledEvidence>> {
  const loaded = await loadSession(deps, key)
  if (!loaded.ok) return loaded
  const { facts, contents } = loaded.value
  const { pause } = deps
  const slices = createSlices()
  const telling = evidenceOf(facts, contents, { now, host: deps }, slices)
  const unsigned = await inSlices(telling, pause)
  const document = await signLargeDocument(unsigned, signer, { slices, pause })
  const named = [facts.session, ...facts.steps, ...facts.cases].flatMap(
    ({ dataSubjectId }) => dataSubjectId ?? [],
  )
  return ok({ document, keys: contents.keys, named: new Set(named) })
}

/**
 * What is stored of a session, and the contents of what `keep` leaves of it, as of one snapshot. Refuses with `not_found`,
 * `evidence_too_large`, and `busy` while content goes again and again.
 */
export async function loadSession(
  deps: EvidenceDeps,
  key: SessionKey,
  keep: (facts: SessionFacts) => SessionFacts = (facts) => facts,
): Promise<Result<{ readonly facts: SessionFacts; readonly contents: Contents }>> {
  const read = (reads: readonly Read[]) => deps.ledger.read(key.tenantId, reads)
  for (let tries = 0; tries < mostTries; tries++) {
    const facts = await readFacts({ vault: deps.vault, read }, key)
    if (!facts) return refuse('not_found', 'no such session')
    if (!facts.whole)
      return refuse(
        'evidence_too_large',
        'the session holds more steps or marks than one document takes',
      )
    const kept = keep(facts)
    const bytes = payloadsOf(kept.session, kept.steps).reduce(
      (sum, { payload }) => sum + payload.length,
      kept.cases.reduce((sum, review) => sum + sizeOf(review), 0),
    )
    if (bytes > evidenceLimits.contentBytes)
      return refuse(
        'evidence_too_large',
        `the session holds ${bytes} bytes of content; one document takes ${evidenceLimits.contentBytes}`,
      )
    const contents = await openContents({ ...deps, read }, kept)
    if (contents) return ok({ facts, contents })
  }
  return refuse('busy', 'content of the session kept being removed', { retryAfter: 1 })
}
