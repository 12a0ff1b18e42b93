import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'
import { canonicalize } from '../base/canonical/canonicalize.ts'
import type { BlobObject } from '../base/ports/blob-store.ts'
import type { Random } from '../base/ports/random.ts'
import type { Put } from '../base/ports/store.ts'
import {
  bundlePath,
  bundles,
  type PayloadField,
  type StoredPayload,
} from '../content/payload-records.ts'
import type { SessionKey } from '../content/records.ts'
import type { Sealing } from '../content/vault/vault.ts'
import type { UnitOfWork } from '../kernel/ledger/ledger.ts'
import { put } from '../kernel/ledger/reads.ts'
import { documentLevels } from '../proof/signed-text.ts'
import { isEmptyContent } from './accept/stored-step.ts'
import type { IngestDeps } from './deps.ts'

const nonceBytes = 32
const firstTextBytes = 4096
const utf8 = new TextEncoder()

/** The bundle of one unit of work: sealed contents, one behind another. */
export interface BundleWriter {
  /** Seals a content with a nonce of its own; null for none. */
  add(
    subject: string,
    stepId: string | null,
    field: PayloadField,
    content: unknown,
  ): StoredPayload | null
  /** Seals a text in UTF-8 as it is. */
  addText(subject: string, field: PayloadField, text: Uint8Array): StoredPayload
  /** What to store before the commit, and the row to put in it; null without content. */
  end(): { readonly blob: BlobObject; readonly put: Put } | null
}

/** Begins the bundle of a session's contents. */
export function createBundle(
  { sha256 }: Pick<IngestDeps, 'sha256'>,
  unit: Pick<UnitOfWork, 'now' | 'id' | 'random'>,
  session: SessionKey,
  sealing: Sealing,
): BundleWriter {
  const { tenantId, applicationId, sessionId } = session
  const bundleId = unit.id('bun')
  const pieces: Uint8Array[] = []
  const text = createTextBuffer()
  let offset = 0

  function append(
    subject: string,
    stepId: string | null,
    field: PayloadField,
    text: Uint8Array,
  ): StoredPayload {
    const sealed = sealing.seal(subject, { sessionId, stepId, field }, text)
    const payload: StoredPayload = {
      field,
      bundleId,
      offset,
      length: sealed.length,
      bytes: text.length,
      digest: bytesToHex(sha256(text)),
      subject,
      sealedFor: sessionId,
    }
    pieces.push(sealed)
    offset += sealed.length
    return payload
  }

  return {
    add: (subject, stepId, field, content) =>
      isEmptyContent(content)
        ? null
        : append(subject, stepId, field, text.of(boundText(unit.random, content))),
    addText: (subject, field, text) => append(subject, null, field, text),
    end() {
      if (pieces.length === 0) return null
      const owner = { tenantId, applicationId, bundleId }
      const row = { ...owner, sessionId, bytes: offset, createdAt: unit.now }
      return {
        blob: { path: bundlePath(owner), bytes: concatBytes(...pieces) },
        put: put(bundles, row, null),
      }
    },
  }
}

/** The text that a payload's digest covers. Its nonce keeps the digest from revealing content that was erased. */
function boundText(random: Random, content: unknown): string {
  return canonicalize([bytesToHex(random.bytes(nonceBytes)), content], documentLevels)
}

/** Texts in UTF-8, each in the memory of the one before: many are made of each unit of work, and none is kept. */
function createTextBuffer(): { of(text: string): Uint8Array } {
  let bytes = new Uint8Array(firstTextBytes)
  return {
    of(text) {
      const most = text.length * 3
      if (most > bytes.length) bytes = new Uint8Array(Math.max(most, bytes.length * 2))
      return bytes.subarray(0, utf8.encodeInto(text, bytes).written)
    },
  }
}
