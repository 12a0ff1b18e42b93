import type { BlobStore } from '../base/ports/blob-store.ts'
import type { Read } from '../base/ports/store.ts'
import type { StoredPayload } from '../content/payload-records.ts'
import type { SessionKey, StoredStep } from '../content/records.ts'
import type { Json } from '../content/span.ts'
import type { Vault } from '../content/vault/vault.ts'
import type { PayloadView } from '../content/view.ts'
import type { Ledger } from '../kernel/ledger/ledger.ts'
import { byBundle, openBundle } from './open-bundle.ts'

/** Reads contents back. */
export interface PayloadDeps {
  readonly ledger: Pick<Ledger, 'read'>
  readonly vault: Vault
  readonly blobs: BlobStore
}

/**
 * The texts of payloads as they were sealed, in order; null for one that was erased. Throws a `PayloadError` for content
 * that is damaged or lost.
 */
export async function readPayloads(
  { ledger, vault, blobs }: PayloadDeps,
  owner: Pick<SessionKey, 'tenantId' | 'applicationId'>,
  stepId: string | null,
  payloads: readonly StoredPayload[],
): Promise<readonly (string | null)[]> {
  if (payloads.length === 0) return []
  const read = (reads: readonly Read[]) => ledger.read(owner.tenantId, reads)
  const subjects = [...new Set(payloads.map(({ subject }) => subject))]
  const opening = vault.opening(await read(vault.reads(owner, subjects)), owner, subjects)
  const texts = new Map<StoredPayload, string | null>()
  for (const [bundleId, placed] of byBundle(payloads.map((payload) => ({ stepId, payload })))) {
    const opened = await openBundle({ blobs, read }, owner, bundleId, placed, opening)
    for (const [at, { payload }] of placed.entries()) texts.set(payload, opened?.[at] ?? null)
  }
  return payloads.map((payload) => texts.get(payload) ?? null)
}

/** A content and its nonce, of the text that was sealed. */
export function contentOf(text: string): { readonly nonce: string; readonly content: Json } {
  const [nonce, content] = JSON.parse(text) as [string, Json]
  return { nonce, content }
}

/** The payload of a step; null where it has none or nothing of it can be read. */
export async function readStepPayload(
  deps: PayloadDeps,
  owner: Pick<SessionKey, 'tenantId' | 'applicationId'>,
  { stepId, payloads }: Pick<StoredStep, 'stepId' | 'payloads'>,
): Promise<PayloadView | null> {
  const texts = await readPayloads(deps, owner, stepId, payloads)
  return payloadView(payloads, (_, at) => texts[at] ?? null)
}

/** A payload by the texts of its fields; null where none of them can be read. */
export function payloadView(
  payloads: readonly StoredPayload[],
  textOf: (payload: StoredPayload, at: number) => string | null,
): PayloadView | null {
  const contents: Partial<Record<StoredPayload['field'], Json>> = {}
  const nonces: Record<string, string> = {}
  for (const [at, payload] of payloads.entries()) {
    const text = textOf(payload, at)
    if (text === null) continue
    const { nonce, content } = contentOf(text)
    contents[payload.field] = content
    nonces[payload.field] = nonce
  }
  if (Object.keys(nonces).length === 0) return null
  const { input = null, output = null, attributes = null } = contents
  return { input, output, attributes, nonces }
}
