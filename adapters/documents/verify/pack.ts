import {
  canonicalBytes,
  checkContents,
  createSharedRows,
  type EvidenceKeys,
  type Finding,
  type FoundFile,
  isPackedAs,
  type KnownEvidence,
  plainMsOf,
  type ReviewerKeys,
  readEvidenceKeys,
  readManifest,
  readReviewerKeys,
  type StampSink,
  unlistedFiles,
  verifyManifest,
} from '@countersign/core/evidence'
import { concatBytes } from '@noble/hashes/utils.js'
import { type DosTime, dosTimeOf, type MemberLayout } from '../zip/layout.ts'
import type { ByteSource, Sha256, VerifyTools } from './byte-source.ts'
import { isObject } from './json.ts'
import type { LinesCheck } from './lines.ts'
import { packLists } from './lists.ts'
import { createMembers, isKept } from './members.ts'
import { readText, textOf } from './text.ts'
import { readZip, type ZipReader } from './zip-reader.ts'

/** Bytes of a member that is read whole: a document, or one of the three files of the seal. */
const wholeLimit = 256 * 2 ** 20

const asText = new TextDecoder('utf-8', { ignoreBOM: true })

const failed = (about: string, detail: string): Finding => ({
  result: 'failed',
  check: 'file',
  about,
  detail,
})

/** What stands for evidence beside its issuer: what a reader holds of it, and the authorities that they trust. */
export interface Witnesses {
  readonly known: KnownEvidence | null
  readonly stamps: StampSink | null
}

/** Verifies a pack: its seal, every file against the manifest, and every document that it holds. */
export async function verifyPack(
  source: ByteSource,
  trusted: EvidenceKeys | null,
  tools: VerifyTools,
  { known, stamps }: Witnesses,
): Promise<readonly Finding[]> {
  const zip = await readZip(source, tools)
  const entries = new Map(zip.entries.map((entry) => [entry.path, entry]))
  const last = zip.entries.slice(-unlistedFiles.size)
  const seal = new Map<string, Uint8Array>()
  for (const name of unlistedFiles) {
    const entry = entries.get(name)
    if (entry === undefined) return [failed(name, 'It is missing, so that the pack has no seal.')]
    const content = await wholeOf(zip, entry)
    if (content === null) return [failed(name, 'It can not be read: the archive is damaged.')]
    seal.set(name, content)
  }
  const [manifestEntry] = last
  if (!manifestEntry || last.some(({ path }, at) => path !== [...unlistedFiles][at]))
    return [failed('archive', `Expected ${[...unlistedFiles].join(', ')} as its last files.`)]
  const pack = keyOf(seal.get('public-key.json'), tools)
  if (pack === null)
    return [
      failed('public-key.json', 'It is no public Ed25519 key (JWK) in the issuer’s own form.'),
    ]
  const before = await zip.before(manifestEntry)
  // Of an archive that was packed anew only the files that differ are told, not what is said in them.
  const isIntact = isPackedAs(seal.get('manifest.json') ?? new Uint8Array(), before)
  const keys = new Map(trusted ?? pack.keys)
  const findings = [aboutKey(pack.keyId, trusted)]
  const files = new Map<string, FoundFile>()
  const within: Finding[] = []
  const more = await keysInside(zip, entries.get('verification-keys.json'), tools)
  const inside: EvidenceKeys = new Map([...keys, ...(trusted ? [] : more)])
  const manifest = readManifest(seal.get('manifest.json') ?? new Uint8Array())
  const toldAt = createdAtOf(manifest)
  const tenantId = isObject(manifest) ? manifest.tenantId : undefined
  const reviewers = isIntact ? await reviewersInside(zip, entries.get(authenticatorsFile)) : null
  const rows = createSharedRows(toldAt, { known, stamps })
  const given = { keys: inside, known, stamps, reviewers, tenantId, rows }
  const lists = packLists({ ...given, toldAt })
  const members = createMembers(given)
  for (const [name, entry] of entries) {
    if (unlistedFiles.has(name)) continue
    const lines = isIntact ? lists.checkOf(name) : null
    const keep = isIntact && lines === null && isKept(name)
    const read = await readEntry(zip, entry, { hash: tools.sha256(), keep, lines })
    if (read === null) return [failed(name, 'It can not be read: the archive is damaged.')]
    files.set(name, read.found)
    const found = [...(lines?.end() ?? []), ...(keep ? members.check(name, read.content) : [])]
    // One by one: a call takes so many arguments at most, and a session has any number of steps.
    for (const finding of found) within.push({ ...finding, about: `${name}: ${finding.about}` })
  }
  const paths = new Set(files.keys())
  // What contradicts itself needs no comparison with others; who signed a stamp is found out later.
  const isWrong = within.some(({ result, check }) => result === 'failed' && check !== 'stamp')
  const joint = [
    ...(isWrong ? [] : rows.findings(paths, omittedBy(manifest))),
    ...lists.checkTails(members.anchors()),
    ...(reviewers?.findings ?? []),
  ]
  const { documents } = members
  if (isIntact)
    joint.push(...checkContents({ manifest, paths, documents, lastEntry: lists.lastEntry() }))
  return [
    ...findings,
    ...verifyManifest({
      manifest: seal.get('manifest.json') ?? new Uint8Array(),
      signature: asText.decode(seal.get('manifest.sig')),
      keyId: pack.keyId,
      keys,
      files,
      before,
    }),
    ...aboutTime(toldAt, zip.time),
    ...within,
    ...joint,
  ]
}

/** Paths that a manifest names as left out. */
function omittedBy(manifest: unknown): ReadonlySet<string> {
  const omitted: unknown = isObject(manifest) ? manifest.omitted : null
  const items: readonly unknown[] = Array.isArray(omitted) ? omitted : []
  return new Set(
    items.flatMap((each) => (isObject(each) && typeof each.path === 'string' ? each.path : [])),
  )
}

/** When a manifest says that its pack was made; empty where it does not. */
function createdAtOf(manifest: unknown): string {
  return isObject(manifest) && typeof manifest.createdAt === 'string' ? manifest.createdAt : ''
}

/** Files of an archive have the time of its manifest. */
function aboutTime(createdAt: string, found: DosTime): readonly Finding[] {
  const at = plainMsOf(createdAt)
  const expected = Number.isNaN(at) ? null : dosTimeOf(at)
  return expected?.time === found.time && expected.date === found.date
    ? []
    : [failed('archive', 'Its files have another time than its manifest.')]
}

function aboutKey(keyId: string, trusted: EvidenceKeys | null): Finding {
  if (trusted === null)
    return {
      result: 'unchecked',
      check: 'issuer',
      about: 'public-key.json',
      detail: `UNCHECKED: key ${keyId} came with the pack, and anybody could have made both. Give the issuer's published keys by --keys.`,
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
function keyOf(bytes: Uint8Array | undefined, tools: VerifyTools) {
  const keys = readKeys(bytes, tools)
  const [keyId] = keys?.keys() ?? []
  if (!bytes || !keys || keyId === undefined || keys.size !== 1) return null
  const text = asText.decode(bytes)
  const { x } = JSON.parse(text) as Readonly<Record<string, unknown>>
  const expected = { kty: 'OKP', crv: 'Ed25519', kid: keyId, use: 'sig', alg: 'EdDSA' }
  const canonical = new TextDecoder().decode(canonicalBytes({ ...expected, x }))
  return text === canonical ? { keys, keyId } : null
}

function readKeys(
  bytes: Uint8Array | null | undefined,
  { ed25519 }: VerifyTools,
): EvidenceKeys | null {
  try {
    const json: unknown = JSON.parse(new TextDecoder().decode(bytes ?? new Uint8Array()))
    return readEvidenceKeys(json, ed25519)
  } catch {
    return null
  }
}

/** An auditor pack brings the keys that signed earlier; the manifest covers the file. */
async function keysInside(
  zip: ZipReader,
  entry: MemberLayout | undefined,
  tools: VerifyTools,
): Promise<EvidenceKeys> {
  return (entry && readKeys(await wholeOf(zip, entry), tools)) ?? new Map()
}

const authenticatorsFile = 'authenticators.json'

/** Keys of reviewers' authenticators, where a pack has them. */
async function reviewersInside(
  zip: ZipReader,
  entry: MemberLayout | undefined,
): Promise<ReviewerKeys | null> {
  if (!entry) return null
  const content = await wholeOf(zip, entry)
  return readReviewerKeys(readText(content && textOf(content), false).document)
}

async function wholeOf(zip: ZipReader, entry: MemberLayout): Promise<Uint8Array | null> {
  if (entry.bytes > wholeLimit) return null
  try {
    const pieces: Uint8Array[] = []
    for await (const piece of zip.read(entry)) pieces.push(piece)
    return concatBytes(...pieces)
  } catch {
    return null
  }
}

async function readEntry(
  zip: ZipReader,
  entry: MemberLayout,
  {
    hash,
    keep,
    lines,
  }: { readonly hash: Sha256; readonly keep: boolean; readonly lines: LinesCheck | null },
): Promise<{ readonly found: FoundFile; readonly content: Uint8Array | null } | null> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const part of zip.read(entry)) {
      hash.update(part)
      bytes += part.length
      lines?.take(part)
      if (keep && bytes <= wholeLimit) pieces.push(part)
    }
  } catch {
    return null
  }
  const content = keep && bytes <= wholeLimit ? concatBytes(...pieces) : null
  return { found: { bytes, sha256: hash.digest() }, content }
}
