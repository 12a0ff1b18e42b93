import { byBundle, openBundle } from '../../ingest/open-bundle.ts'
import type { BlobStore } from '../../ports/blob-store.ts'
import type { Found, Read } from '../../ports/store.ts'
import type { Vault } from '../../privacy/vault.ts'
import type { StoredPayload } from '../../sessions/payload-records.ts'
import { payloadsOf, type SessionFacts } from './facts.ts'

/** The texts of a session's payloads as they were sealed. */
export interface Contents {
  /** Null for a payload whose subject was erased; throws for one that is not of the session. */
  textOf(payload: StoredPayload): string | null
  /** The vault's subjects of the texts that are there, each with the name of its key. */
  readonly keys: ReadonlyMap<string, string>
}

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
  for (const [bundleId, placed] of byBundle(payloadsOf(session, facts.steps))) {
    const opened = await openBundle(ports, session, bundleId, placed, opening)
    if (opened === null) return null
    for (const [at, { payload }] of placed.entries()) texts.set(payload, opened[at] ?? null)
  }
  const readable = [...texts].flatMap(([{ subject }, text]) => (text === null ? [] : [subject]))
  return {
    keys: new Map(readable.map((subject) => [subject, opening.keyId(subject) ?? ''])),
    textOf(payload) {
      const text = texts.get(payload)
      if (text === undefined) throw new Error('the payload is not of this session')
      return text
    },
  }
}
