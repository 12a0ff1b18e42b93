import {
  type EvidenceKeys,
  type Finding,
  readEvidenceKeys,
  type Verdict,
  verdictOf,
} from '@countersign/core/evidence'
import { layoutBytes } from '../zip/layout.ts'
import type { ByteSource, VerifyTools } from './byte-source.ts'
import { verifyPack } from './pack.ts'
import { verifyText } from './text.ts'

/** What was found of one file. */
export interface FileReport {
  readonly file: string
  readonly kind: 'pack' | 'document'
  readonly verdict: Verdict
  /** The first thing that is wrong, else null. */
  readonly firstFailure: Finding | null
  readonly findings: readonly Finding[]
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
): Promise<FileReport> {
  const kind = (await isZip(source)) ? 'pack' : 'document'
  const findings =
    kind === 'pack'
      ? await packFindings(source, keys, tools)
      : await documentFindings(file, source, keys)
  return {
    file,
    kind,
    verdict: verdictOf(findings),
    firstFailure: findings.find(({ result }) => result === 'failed') ?? null,
    findings,
  }
}

/** The evidence keys of a JWK or JWK set; throws for any other text. */
export function keysOfText(text: string): EvidenceKeys {
  const keys = readEvidenceKeys(JSON.parse(text))
  if (keys === null) throw new Error('expected a public Ed25519 key (JWK) or a set of them')
  return keys
}

async function packFindings(
  source: ByteSource,
  keys: EvidenceKeys | null,
  tools: VerifyTools,
): Promise<readonly Finding[]> {
  try {
    return await verifyPack(source, keys, tools)
  } catch (error) {
    const detail = `The archive can not be read: ${error instanceof Error ? error.message : String(error)}.`
    return [{ result: 'failed', check: 'file', about: 'archive', detail }]
  }
}

async function documentFindings(
  file: string,
  source: ByteSource,
  keys: EvidenceKeys | null,
): Promise<readonly Finding[]> {
  if (source.size > textLimit)
    throw new Error(`expected a ZIP archive or at most ${textLimit / 2 ** 20} MiB of JSON`)
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(
    await source.read(0, source.size),
  )
  const verified = (lines: boolean) =>
    verifyText(text, keys ?? new Map(), { lines, isCovered: false })
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
