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
import { contentPrefix, contentSeparator } from '../content/sealed-contents.ts'
import type { Sealing } from '../content/vault/vault.ts'
import type { UnitOfWork } from '../kernel/ledger/ledger.ts'
import { put } from '../kernel/ledger/reads.ts'
import { documentLevels } from '../proof/signed-text.ts'
import { isEmptyContent } from './accept/stored-step.ts'
import type { IngestDeps } from './deps.ts'

const nonceBytes = 32
const firstLinesBytes = 16_384
const utf8 = new TextEncoder()

/** The bundle of one unit of work: sealed contents, one behind another. */
export interface BundleWriter {
  /** Seals contents together, each with a nonce of its own; those that are empty are left out. */
  add(
    subject: string,
    stepId: string | null,
    contents: Readonly<Partial<Record<PayloadField, unknown>>>,
  ): readonly StoredPayload[]
  /** Seals a session's canonical JSON, in UTF-8, as it is. */
  addText(subject: string, field: PayloadField, text: Uint8Array): readonly StoredPayload[]
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
  const lines = createLines()
  let bundleBytes = 0

  /** Seals what was written, and appends it to the bundle. */
  function append(
    subject: string,
    stepId: string | null,
    contents: readonly Pick<StoredPayload, 'field' | 'bytes' | 'digest'>[],
  ): readonly StoredPayload[] {
    const sealed = sealing.seal(subject, { sessionId, stepId }, lines.take())
    const offset = bundleBytes
    pieces.push(sealed)
    bundleBytes += sealed.length
    return contents.map(({ field, bytes, digest }) => ({
      field,
      bundleId,
      offset,
      length: sealed.length,
      bytes,
      digest,
      subject,
      sealedFor: sessionId,
    }))
  }

  /** Writes a content's line. */
  function write(field: PayloadField, text: string | Uint8Array) {
    const written = lines.add(contentPrefix(field), text)
    return { field, bytes: written.length, digest: bytesToHex(sha256(written)) }
  }

  return {
    add(subject, stepId, contents) {
      const fields = (Object.keys(contents) as PayloadField[]).filter(
        (field) => !isEmptyContent(contents[field]),
      )
      if (fields.length === 0) return []
      const written = fields.map((field) => write(field, boundText(unit.random, contents[field])))
      return append(subject, stepId, written)
    },
    addText: (subject, field, text) => append(subject, null, [write(field, text)]),
    end() {
      if (pieces.length === 0) return null
      const owner = { tenantId, applicationId, bundleId }
      const row = { ...owner, sessionId, bytes: bundleBytes, createdAt: unit.now }
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

/** Lines in UTF-8, in the memory of those before: many are made of each unit of work, and none is kept. */
interface Lines {
  /** Adds a line; answers the bytes of its text, which hold until the next line. */
  add(prefix: string, text: string | Uint8Array): Uint8Array
  /** The bytes of all lines, which hold until the next one; it is then the first. */
  take(): Uint8Array
}

function createLines(): Lines {
  let bytes = new Uint8Array(firstLinesBytes)
  let end = 0

  function write(text: string | Uint8Array): void {
    const most = end + (typeof text === 'string' ? text.length * 3 : text.length)
    if (most > bytes.length) {
      const larger = new Uint8Array(Math.max(most, bytes.length * 2))
      larger.set(bytes.subarray(0, end))
      bytes = larger
    }
    if (typeof text === 'string') end += utf8.encodeInto(text, bytes.subarray(end)).written
    else {
      bytes.set(text, end)
      end += text.length
    }
  }

  return {
    add(prefix, text) {
      write(end === 0 ? prefix : `${contentSeparator}${prefix}`)
      const start = end
      write(text)
      return bytes.subarray(start, end)
    },
    take() {
      const taken = bytes.subarray(0, end)
      end = 0
      return taken
    },
  }
}
