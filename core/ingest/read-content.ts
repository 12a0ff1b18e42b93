import type { Ledger } from '../ledger/ledger.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type { Vault } from '../privacy/vault.ts'
import { bundlePath, type SessionKey, type StoredPayload } from '../sessions/records.ts'
import type { PayloadView } from '../sessions/view.ts'

/** Reads contents back. */
export interface PayloadDeps {
  readonly ledger: Pick<Ledger, 'read'>
  readonly vault: Vault
  readonly blobs: BlobStore
}

const fromUtf8 = new TextDecoder('utf-8', { fatal: true })

/** The texts of payloads as they were sealed, in order; null for one whose subject was erased or whose blob is gone. */
export async function readPayloads(
  { ledger, vault, blobs }: PayloadDeps,
  owner: Pick<SessionKey, 'tenantId' | 'applicationId'>,
  stepId: string | null,
  payloads: readonly StoredPayload[],
): Promise<readonly (string | null)[]> {
  if (payloads.length === 0) return []
  const subjects = [...new Set(payloads.map(({ subject }) => subject))]
  const found = await ledger.read(owner.tenantId, vault.reads(owner, subjects))
  const opening = vault.opening(found, owner, subjects)
  const bundles = new Map<string, Uint8Array | null>()
  const texts: (string | null)[] = []
  for (const { bundleId, offset, length, subject, sealedFor, field } of payloads) {
    const path = bundlePath({ ...owner, bundleId })
    if (!bundles.has(path)) bundles.set(path, await blobs.get(path))
    const bytes = bundles.get(path)
    const sealed = bytes?.subarray(offset, offset + length)
    const plain = sealed && opening.open(subject, { sessionId: sealedFor, stepId, field }, sealed)
    texts.push(plain ? fromUtf8.decode(plain) : null)
  }
  return texts
}

/** A content and its nonce, of the text that was sealed. */
export function contentOf(text: string): { readonly nonce: string; readonly content: unknown } {
  const [nonce, content] = JSON.parse(text) as [string, unknown]
  return { nonce, content }
}

/** The payload of a step; null where it has none or nothing of it can be read. */
export async function readStepPayload(
  deps: PayloadDeps,
  owner: Pick<SessionKey, 'tenantId' | 'applicationId'>,
  step: { readonly stepId: string; readonly payloads: readonly StoredPayload[] },
): Promise<PayloadView | null> {
  const texts = await readPayloads(deps, owner, step.stepId, step.payloads)
  const contents: Record<string, unknown> = { input: null, output: null, attributes: null }
  const nonces: Record<string, string> = {}
  for (const [at, { field }] of step.payloads.entries()) {
    const text = texts[at]
    if (typeof text !== 'string') continue
    const { nonce, content } = contentOf(text)
    contents[field] = content
    nonces[field] = nonce
  }
  if (Object.keys(nonces).length === 0) return null
  const { input, output, attributes } = contents
  return { input, output, attributes, nonces }
}
