import type { BlobStore } from '../../base/ports/blob-store.ts'
import type { Found, Read } from '../../base/ports/store.ts'
import type { StoredPayload } from '../../content/payload-records.ts'
import type { Opening, Vault } from '../../content/vault/vault.ts'
import { byBundle, openBundle, type PlacedPayload } from '../../sessions/open-bundle.ts'
import { payloadsOf, type SessionFacts } from './facts.ts'

/** The texts of a session's payloads as they were sealed. */
export interface Contents {
  /** Null for a payload whose subject was erased; throws for one that is not of the session. */
  textOf(payload: StoredPayload): string | null
  /** The vault's subjects of the texts that are there, each with the name of its key. */
  readonly keys: ReadonlyMap<string, string>
}

/** What payloads are opened with. */
export interface OpeningPorts {
  readonly vault: Pick<Vault, 'opening'>
  readonly blobs: Pick<BlobStore, 'get'>
  readonly read: (reads: readonly Read[]) => Promise<readonly Found[]>
  /** Lets others run between groups of payloads. */
  readonly pause: () => Promise<void>
}

/** Payloads that are opened between two pauses. */
const openedAtOnce = 500

/**
 * Opens payloads of a session, one bundle in memory at a time, and hands out each with its text, null where it was
 * erased. Null when a bundle was removed since the facts were read: read them again. Throws a `PayloadError` for content
 * that is damaged or lost.
 */
export async function openPayloads(
  ports: OpeningPorts,
  { session, keys, subjects }: Pick<SessionFacts, 'session' | 'keys' | 'subjects'>,
  placed: readonly PlacedPayload[],
  take: (each: PlacedPayload, text: string | null) => void,
): Promise<Opening | null> {
  const opening = ports.vault.opening(keys, session, subjects)
  for (const [bundleId, all] of byBundle(placed)) {
    let blob: ReturnType<BlobStore['get']> | null = null
    const blobs = { get: (path: string) => (blob ??= ports.blobs.get(path)) }
    for (let from = 0; from < all.length; from += openedAtOnce) {
      const some = all.slice(from, from + openedAtOnce)
      const texts = await openBundle({ ...ports, blobs }, session, bundleId, some, opening)
      if (texts === null) return null
      for (const [at, each] of some.entries()) take(each, texts[at] ?? null)
      await ports.pause()
    }
  }
  return opening
}

/** Opens every payload of a session; null as `openPayloads`. */
export async function openContents(
  ports: OpeningPorts,
  facts: SessionFacts,
): Promise<Contents | null> {
  const { session, steps } = facts
  const texts = new Map<StoredPayload, string | null>()
  const opening = await openPayloads(ports, facts, payloadsOf(session, steps), (each, text) =>
    texts.set(each.payload, text),
  )
  if (opening === null) return null
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
