import { get } from '../../ledger/reads.ts'
import type { BlobStore } from '../../ports/blob-store.ts'
import type { Found, Read } from '../../ports/store.ts'
import { PayloadError, type Vault } from '../../privacy/vault.ts'
import { bundlePath, bundles, type StoredPayload } from '../../sessions/records.ts'
import { payloadsOf, type SessionFacts } from './facts.ts'

/** The texts of a session's payloads as they were sealed. */
export interface Contents {
  /** Null for a payload whose subject was erased; throws for one that is not of the session. */
  textOf(payload: StoredPayload): string | null
}

const fromUtf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Opens every payload of a session, one bundle in memory at a time. Null when a bundle was removed since the facts were
 * read: read them again. Throws a `PayloadError` for content that is damaged or lost.
 */
export async function openContents(
  ports: {
    readonly vault: Pick<Vault, 'opening'>
    readonly blobs: Pick<BlobStore, 'get'>
    readonly read: (reads: readonly Read[]) => Promise<readonly Found[]>
  },
  facts: SessionFacts,
): Promise<Contents | null> {
  const { session } = facts
  const opening = ports.vault.opening(facts.keys, session, facts.subjects)
  const texts = new Map<StoredPayload, string | null>()
  const byBundle = new Map<string, ReturnType<typeof payloadsOf>[number][]>()
  for (const each of payloadsOf(session, facts.steps)) {
    const { bundleId, length } = each.payload
    texts.set(each.payload, null)
    // An erasure leaves the digest of a payload, and a length of 0.
    if (length === 0) continue
    const others = byBundle.get(bundleId)
    if (others) others.push(each)
    else byBundle.set(bundleId, [each])
  }
  for (const [bundleId, kept] of byBundle) {
    const path = bundlePath({ ...session, bundleId })
    const bytes = await ports.blobs.get(path)
    if (bytes === null) {
      const key = [session.tenantId, session.applicationId, bundleId] as const
      const [row] = await ports.read([get(bundles, key)])
      if (!row?.rows.length) return null
      throw new PayloadError(
        'payload_damaged',
        `the blob ${path} of session ${session.sessionId} is missing: restore it from a backup`,
      )
    }
    for (const { stepId, payload } of kept) {
      const { subject, sealedFor, field, offset, length } = payload
      const sealed = bytes.subarray(offset, offset + length)
      const plain = opening.open(subject, { sessionId: sealedFor, stepId, field }, sealed)
      texts.set(payload, plain && fromUtf8.decode(plain))
    }
  }
  return {
    textOf(payload) {
      const text = texts.get(payload)
      if (text === undefined) throw new Error('the payload is not of this session')
      return text
    },
  }
}
