import { createHash } from 'node:crypto'
import {
  canonicalBytes,
  type EvidenceKeys,
  type Finding,
  type FoundFile,
  readEvidenceKeys,
  unlistedFiles,
  verifyManifest,
} from '@countersign/core/evidence'
import type { Entry } from 'yauzl'
import { type LinesCheck, packLists } from './lists.ts'
import { verifyText } from './text.ts'
import { openZip, type ZipReader } from './zip-files.ts'

/** Bytes of a member that is read whole: a document, or one of the three files of the seal. */
const wholeLimit = 256 * 2 ** 20

const failed = (about: string, detail: string): Finding => ({
  result: 'failed',
  check: 'file',
  about,
  detail,
})

/** Verifies a pack: its seal, every file against the manifest, and every document that it holds. */
export async function verifyPack(
  path: string,
  trusted: EvidenceKeys | null,
): Promise<readonly Finding[]> {
  const zip = await openZip(path)
  try {
    return await verifyEntries(zip, trusted)
  } finally {
    zip.close()
  }
}

async function verifyEntries(
  zip: ZipReader,
  trusted: EvidenceKeys | null,
): Promise<readonly Finding[]> {
  const entries = new Map<string, Entry>()
  for (const entry of zip.entries) {
    if (entries.has(entry.fileName)) return [failed(entry.fileName, 'The archive has it twice.')]
    entries.set(entry.fileName, entry)
  }
  const seal = new Map<string, Uint8Array>()
  for (const name of unlistedFiles) {
    const entry = entries.get(name)
    if (entry === undefined) return [failed(name, 'It is missing, so that the pack has no seal.')]
    const content = await wholeOf(zip, entry)
    if (content === null) return [failed(name, 'It can not be read: the archive is damaged.')]
    seal.set(name, content)
  }
  const pack = keyOf(seal.get('public-key.json'))
  if (pack === null)
    return [
      failed('public-key.json', 'It is no public Ed25519 key (JWK) in the issuer’s own form.'),
    ]
  const keys = new Map(trusted ?? pack.keys)
  const findings: Finding[] = [aboutKey(pack.keyId, trusted)]
  const files = new Map<string, FoundFile>()
  const within: Finding[] = []
  const lists = packLists()
  let anchors: string | null = null
  const more = await keysInside(zip, entries.get(keysPath(entries)))
  const known: EvidenceKeys = new Map([...keys, ...(trusted ? [] : more)])
  for (const [name, entry] of entries) {
    if (unlistedFiles.has(name)) continue
    const lines = lists.checkOf(name)
    const read = await readEntry(zip, entry, isDocument(name), lines)
    if (read === null) return [failed(name, 'It can not be read: the archive is damaged.')]
    files.set(name, read.found)
    if (name === 'anchors.jsonl') anchors = read.text
    const found = [
      ...(lines?.end() ?? []),
      ...(read.text === null
        ? []
        : verifyText(read.text, known, { lines: name.endsWith('.jsonl'), isCovered: true })),
    ]
    within.push(...found.map((finding) => ({ ...finding, about: `${name}: ${finding.about}` })))
  }
  within.push(...lists.checkAnchored(anchors))
  findings.push(
    ...verifyManifest({
      manifest: seal.get('manifest.json') ?? new Uint8Array(),
      signature: new TextDecoder().decode(seal.get('manifest.sig')),
      keyId: pack.keyId,
      keys,
      files,
    }),
    ...within,
  )
  return findings
}

function aboutKey(keyId: string, trusted: EvidenceKeys | null): Finding {
  if (trusted === null)
    return {
      result: 'noted',
      check: 'signature',
      about: 'public-key.json',
      detail: `Key ${keyId} came with the pack. Compare it with the issuer's published keys, or give these by --keys.`,
    }
  return trusted.has(keyId)
    ? {
        result: 'verified',
        check: 'signature',
        about: 'public-key.json',
        detail: `Key ${keyId} is among the keys given.`,
      }
    : {
        result: 'failed',
        check: 'signature',
        about: 'public-key.json',
        detail: `Key ${keyId} is not among the keys given: another issuer sealed this pack.`,
      }
}

/** The key of `public-key.json`, which no hash covers: so every byte of it must be as the issuer writes it. */
function keyOf(bytes: Uint8Array | undefined) {
  const keys = readKeys(bytes)
  const [keyId] = keys?.keys() ?? []
  if (!bytes || !keys || keyId === undefined || keys.size !== 1) return null
  const text = new TextDecoder().decode(bytes)
  const { x, ...others } = JSON.parse(text) as Readonly<Record<string, unknown>>
  const expected = { kty: 'OKP', crv: 'Ed25519', kid: keyId, use: 'sig', alg: others.alg }
  const algorithm = others.alg === 'EdDSA' || others.alg === 'Ed25519'
  const canonical = new TextDecoder().decode(canonicalBytes({ ...expected, x }))
  return algorithm && text === canonical ? { keys, keyId } : null
}

function readKeys(bytes: Uint8Array | null | undefined): EvidenceKeys | null {
  try {
    return readEvidenceKeys(JSON.parse(new TextDecoder().decode(bytes ?? new Uint8Array())))
  } catch {
    return null
  }
}

/** An auditor pack brings the keys that signed earlier; the manifest covers the file. */
async function keysInside(zip: ZipReader, entry: Entry | undefined): Promise<EvidenceKeys> {
  return (entry && readKeys(await wholeOf(zip, entry))) ?? new Map()
}

function keysPath(entries: ReadonlyMap<string, Entry>): string {
  return [...entries.keys()].find((name) => /(?:^|\/)verification-keys\.json$/.test(name)) ?? ''
}

/** Lists in JSON that only the manifest speaks for, and that may be of any size. */
const listsAlone =
  /(?:^|\/)(?:sessions|processing-log|policy-rules|erasures-and-holds|retention-and-holds)\.json$/

/** Members that may hold a signed document: evidence, certificates, proofs, the anchor ledger. */
function isDocument(name: string): boolean {
  return (name.endsWith('.json') && !listsAlone.test(name)) || /(?:^|\/)anchors\.jsonl$/.test(name)
}

async function wholeOf(zip: ZipReader, entry: Entry): Promise<Uint8Array | null> {
  if (entry.uncompressedSize > wholeLimit) return null
  try {
    const pieces: Uint8Array[] = []
    for await (const piece of await zip.read(entry)) pieces.push(piece as Uint8Array)
    return Buffer.concat(pieces)
  } catch {
    return null
  }
}

async function readEntry(
  zip: ZipReader,
  entry: Entry,
  keep: boolean,
  lines: LinesCheck | null,
): Promise<{ readonly found: FoundFile; readonly text: string | null } | null> {
  const hash = createHash('sha256')
  const pieces: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const piece of await zip.read(entry)) {
      const part = piece as Uint8Array
      hash.update(part)
      bytes += part.length
      lines?.take(part)
      if (keep && bytes <= wholeLimit) pieces.push(part)
    }
  } catch {
    return null
  }
  const text = keep && bytes <= wholeLimit ? Buffer.concat(pieces).toString('utf8') : null
  return { found: { bytes, sha256: hash.digest('hex') }, text }
}
