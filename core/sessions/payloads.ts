import { concatBytes } from '@noble/hashes/utils.js'
import { canonicalize } from '../base/canonical/canonicalize.ts'
import type { BlobObject } from '../base/ports/blob-store.ts'
import type { Put } from '../base/ports/store.ts'
import { hexOf, writeHex } from '../base/text/hex.ts'
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

  /** What a payload has of its content's text. */
  function digested(field: PayloadField, text: Uint8Array) {
    return { field, bytes: text.length, digest: hexOf(sha256(text)) }
  }

  /** Writes a content's line. Its nonce keeps the digest from revealing content that was erased. */
  function write(field: PayloadField, content: unknown) {
    const text = canonicalize(content, documentLevels - 1)
    return digested(
      field,
      lines.addBound(contentPrefix(field), unit.random.bytes(nonceBytes), text),
    )
  }

  return {
    add(subject, stepId, contents) {
      const fields = (Object.keys(contents) as PayloadField[]).filter(
        (field) => !isEmptyContent(contents[field]),
      )
      if (fields.length === 0) return []
      const written = fields.map((field) => write(field, contents[field]))
      return append(subject, stepId, written)
    },
    addText: (subject, field, text) =>
      append(subject, null, [digested(field, lines.add(contentPrefix(field), text))]),
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

/** Lines in UTF-8, in the memory of those before: many are made of each unit of work, and none is kept. */
interface Lines {
  /** Adds a line; answers the bytes of its text, which hold until the next line. The prefix is ASCII. */
  add(prefix: string, text: Uint8Array): Uint8Array
  /** The same of the canonical JSON of a list of two: a nonce in hex, and the value whose canonical JSON is given. */
  addBound(prefix: string, nonce: Uint8Array, json: string): Uint8Array
  /** The bytes of all lines, which hold until the next one; it is then the first. */
  take(): Uint8Array
}

function createLines(): Lines {
  let bytes = new Uint8Array(firstLinesBytes)
  let end = 0

  function makeRoom(size: number): void {
    const most = end + size
    if (most <= bytes.length) return
    const larger = new Uint8Array(Math.max(most, bytes.length * 2))
    larger.set(bytes.subarray(0, end))
    bytes = larger
  }

  function writeText(text: string): void {
    makeRoom(text.length * 3)
    end += utf8.encodeInto(text, bytes.subarray(end)).written
  }

  /** Begins a line; answers where its text begins. */
  function begin(prefix: string): number {
    const marks = end === 0 ? prefix : `${contentSeparator}${prefix}`
    makeRoom(marks.length)
    end = writeMark(marks, bytes, end)
    return end
  }

  return {
    add(prefix, text) {
      const start = begin(prefix)
      makeRoom(text.length)
      bytes.set(text, start)
      end += text.length
      return bytes.subarray(start, end)
    },
    addBound(prefix, nonce, json) {
      const start = begin(prefix)
      // Written part by part: joined to one text, all of it would be copied once more.
      makeRoom(2 * nonce.length + boundMarks)
      end = writeHex(nonce, bytes, writeMark('["', bytes, end))
      end = writeMark('",', bytes, end)
      writeText(json)
      makeRoom(boundMarks)
      end = writeMark(']', bytes, end)
      return bytes.subarray(start, end)
    },
    take() {
      const taken = bytes.subarray(0, end)
      end = 0
      return taken
    },
  }
}

/** Characters around a nonce and its value, at most. */
const boundMarks = 8

/** Writes characters of ASCII; answers where they end. */
function writeMark(mark: string, into: Uint8Array, at: number): number {
  for (let index = 0; index < mark.length; index++) into[at + index] = mark.charCodeAt(index)
  return at + mark.length
}
