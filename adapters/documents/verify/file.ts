import { open, readFile, stat } from 'node:fs/promises'
import {
  type EvidenceKeys,
  type Finding,
  readEvidenceKeys,
  type Verdict,
  verdictOf,
} from '@countersign/core/evidence'
import { layoutBytes } from '../zip/layout.ts'
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

/** What the end record of a ZIP archive begins with. */
const endMark = 0x06054b50
/** Longest text that is read whole. */
const textLimit = 256 * 2 ** 20

/**
 * Verifies a pack (ZIP), an evidence document, a proof, a certificate, an anchor ledger, an audit log or a list of batches (JSON, or
 * JSON lines).
 * `keys`: the issuer's published keys; null to take those that come with a pack. Rejects for a file that can't be read.
 */
export async function verifyFile(file: string, keys: EvidenceKeys | null): Promise<FileReport> {
  const kind = (await isZip(file)) ? 'pack' : 'document'
  const findings =
    kind === 'pack' ? await packFindings(file, keys) : await documentFindings(file, keys)
  return {
    file,
    kind,
    verdict: verdictOf(findings),
    firstFailure: findings.find(({ result }) => result === 'failed') ?? null,
    findings,
  }
}

async function packFindings(file: string, keys: EvidenceKeys | null): Promise<readonly Finding[]> {
  try {
    return await verifyPack(file, keys)
  } catch (error) {
    const detail = `The archive can not be read: ${error instanceof Error ? error.message : String(error)}.`
    return [{ result: 'failed', check: 'file', about: 'archive', detail }]
  }
}

async function documentFindings(
  file: string,
  keys: EvidenceKeys | null,
): Promise<readonly Finding[]> {
  if ((await stat(file)).size > textLimit)
    throw new Error(`expected a ZIP archive or at most ${textLimit / 2 ** 20} MiB of JSON`)
  const text = await readFile(file, 'utf8')
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

async function isZip(file: string): Promise<boolean> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0)
    if (bytesRead === 4 && buffer.toString('latin1', 0, 2) === 'PK') return true
    // Programs that unpack look at the end, whatever stands in front.
    const from = (await handle.stat()).size - layoutBytes.end
    if (from < 0) return false
    const tail = await handle.read(Buffer.alloc(4), 0, 4, from)
    return tail.buffer.readUInt32LE(0) === endMark
  } finally {
    await handle.close()
  }
}

/** The evidence keys of a JWK or JWK set in a file; throws for any other content. */
export async function readKeyFile(file: string): Promise<EvidenceKeys> {
  const keys = readEvidenceKeys(JSON.parse(await readFile(file, 'utf8')))
  if (keys === null) throw new Error('expected a public Ed25519 key (JWK) or a set of them')
  return keys
}
