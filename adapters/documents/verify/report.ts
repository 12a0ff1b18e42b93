import {
  type EvidenceKeys,
  type Finding,
  type KnownEvidence,
  readEvidenceKeys,
  readKnownEvidence,
  readTimeStamp,
  type Verdict,
  verdictOf,
  type Witness,
  witnessOf,
} from '@countersign/core/evidence'
import { layoutBytes } from '../zip/layout.ts'
import { type ByteSource, measured, piecesOf, type VerifyTools } from './byte-source.ts'
import { verifyPack, type Witnesses } from './pack.ts'
import { createStampCheck, type StampVerifier } from './stamps.ts'
import { readText, textOf, verifyText } from './text.ts'

/** What was found of one file. */
export interface FileReport {
  readonly file: string
  readonly kind: 'pack' | 'document'
  readonly verdict: Verdict
  /** Whether something from before stands behind it; without any it is consistent with itself and no more. */
  readonly witness: Witness
  /** The first thing that is wrong, else null. */
  readonly firstFailure: Finding | null
  readonly findings: readonly Finding[]
}

/** What a file is compared with, beside its issuer's keys; absent or null for nothing. */
export interface Compared {
  /** What is known of the issuer from before. */
  readonly known?: KnownEvidence | null
  /** SHA-256 that the whole file must have, hex. */
  readonly sha256?: string | null
  /** Knows the time-stamping authorities that the reader trusts. */
  readonly authorOf?: StampVerifier | null
}

/** What the end record of a ZIP archive begins with: PK\5\6. */
const endMark = [0x50, 0x4b, 5, 6]
/** Longest text that is read whole. */
const textLimit = 256 * 2 ** 20

/**
 * Verifies a pack (ZIP), an evidence document, a proof, a certificate, an anchor ledger, an audit log or a list of
 * batches (JSON, or JSON lines). `file` is its name, by whose end JSON lines are known. Rejects where it can't be read.
 */
export async function verifySource(
  file: string,
  source: ByteSource,
  keys: EvidenceKeys | null,
  tools: VerifyTools,
  { known = null, sha256 = null, authorOf = null }: Compared = {},
): Promise<FileReport> {
  const kind = (await isZip(source)) ? 'pack' : 'document'
  const stamps = authorOf && createStampCheck(authorOf)
  const witnesses = { known, stamps: stamps?.take ?? null }
  const checked =
    kind === 'pack'
      ? await packFindings(source, keys, tools, witnesses)
      : await documentFindings(file, source, keys, witnesses)
  const findings = [
    ...(sha256 === null ? [] : [await aboutWhole(source, sha256, tools)]),
    ...checked,
    ...(stamps ? await stamps.findings() : []),
  ]
  return {
    file,
    kind,
    verdict: verdictOf(findings),
    witness: witnessOf(findings),
    firstFailure: findings.find(({ result }) => result === 'failed') ?? null,
    findings,
  }
}

/** The evidence keys of a JWK or JWK set; throws for any other text. */
export function keysOfText(text: string, { ed25519 }: Pick<VerifyTools, 'ed25519'>): EvidenceKeys {
  const keys = readEvidenceKeys(JSON.parse(text), ed25519)
  if (keys === null) throw new Error('expected a public Ed25519 key (JWK) or a set of them')
  return keys
}

/**
 * What is known from before, of files: JSON, JSON lines, lines of 64 hex digits (Merkle roots, hashes of ledger entries),
 * or time stamps (`TimeStampResp`, DER). Throws for any other content.
 */
export function knownOfFiles(files: readonly Uint8Array[]): KnownEvidence {
  const known = readKnownEvidence(files.flatMap(valuesOf))
  if (known === null)
    throw new Error(
      'expected documents, proofs, certificates, ledgers, batches, logs, hashes or time stamps',
    )
  return known
}

function valuesOf(file: Uint8Array): readonly unknown[] {
  const stamp = readTimeStamp(file)
  if (stamp) return [stamp.digest]
  const text = new TextDecoder().decode(file)
  try {
    return [JSON.parse(text)]
  } catch {
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    return lines.map((line): unknown => (/^\s*[[{]/.test(line) ? JSON.parse(line) : line.trim()))
  }
}

/** The SHA-256 of a package's record, or of its event: JSON that has `sha256`, or `data` that has. Throws for others. */
export function sha256OfRecord(text: string): string {
  const json = JSON.parse(text) as { readonly sha256?: unknown; readonly data?: unknown }
  const sha256 = json.sha256 ?? (json.data as typeof json | undefined)?.sha256
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256))
    throw new Error('expected the record of a package, with its sha256')
  return sha256
}

async function aboutWhole(
  source: ByteSource,
  expected: string,
  tools: VerifyTools,
): Promise<Finding> {
  const { sha256 } = await measured(piecesOf(source, 0, source.size), tools)
  const about = 'whole file'
  return sha256 === expected
    ? { result: 'verified', check: 'file', about, detail: `Its SHA-256 is ${sha256}, as given.` }
    : {
        result: 'failed',
        check: 'file',
        about,
        detail: `Its SHA-256 is ${sha256}, not ${expected}.`,
      }
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

async function packFindings(
  source: ByteSource,
  keys: EvidenceKeys | null,
  tools: VerifyTools,
  witnesses: Witnesses,
): Promise<readonly Finding[]> {
  try {
    return await verifyPack(source, keys, tools, witnesses)
  } catch (error) {
    const detail = `The archive can not be read: ${reasonOf(error)}.`
    return [{ result: 'failed', check: 'file', about: 'archive', detail }]
  }
}

async function documentFindings(
  file: string,
  source: ByteSource,
  keys: EvidenceKeys | null,
  witnesses: Witnesses,
): Promise<readonly Finding[]> {
  if (source.size > textLimit)
    throw new Error(`expected a ZIP archive or at most ${textLimit / 2 ** 20} MiB of JSON`)
  const text = textOf(await source.read(0, source.size))
  const verified = (lines: boolean): readonly Finding[] =>
    verifyText(readText(text, lines), keys ?? new Map(), { isCovered: false, ...witnesses })
  const found = verified(file.endsWith('.jsonl'))
  if (found.length > 0) return found
  const lines = verified(true)
  if (lines.length > 0) return lines
  const detail =
    'It is no evidence document, proof, certificate, anchor ledger, audit log, list of batches or pack, or it was damaged.'
  return [{ result: 'unchecked', check: 'form', about: 'file', detail }]
}

async function isZip(source: ByteSource): Promise<boolean> {
  const begins = (bytes: Uint8Array, mark: readonly number[]) =>
    mark.every((byte, at) => bytes[at] === byte)
  if (source.size < 4) return false
  if (begins(await source.read(0, 4), [0x50, 0x4b])) return true
  // Programs that unpack look at the end, whatever stands in front.
  const from = source.size - layoutBytes.end
  return from >= 0 && begins(await source.read(from, 4), endMark)
}
