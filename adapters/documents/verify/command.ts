import { parseArgs } from 'node:util'
import type { EvidenceKeys } from '@countersign/core/evidence'
import {
  readAuthorityFiles,
  readKeyFile,
  readKnownFiles,
  readRecordFile,
  verifyFile,
} from './file.ts'
import type { Compared, FileReport } from './report.ts'
import { wordsOf } from './words.ts'

const usage = `Usage: countersign-verify [--keys KEYS.json]… [--known FILE]… [--tsa PEM]… [--sha256 HEX | --record FILE] [--json] FILE…

Verifies evidence offline: packs (ZIP), evidence documents, proofs, certificates, anchor ledgers, audit logs and lists
of batches (JSON, JSON lines).

A document is verified when a signature that verifies covers all that it says. Proofs, audit logs and lists of batches
carry no such signature by themselves: that they fit together is checked, who issued them is not, and the status is 2.
Within a pack its signature covers them.

  --keys FILE   the issuer's published keys (JWK set); without them the issuer is UNCHECKED: a pack is checked by the
                key that came with it, and the signature of a single document can not be checked
  --known FILE  what you hold of the issuer from before: an anchor ledger, evidence, proofs, certificates, batches, an
                audit log, time stamps (.tsr), or lines of 64 hex digits (Merkle roots, hashes of ledger entries). What
                the issuer wrote anew since is found; without it a verdict says: self-consistent, not witnessed
  --tsa PEM     certificates of the time-stamping authorities (RFC 3161) that you trust: each stamp must be of one of
                them; where each entry was stamped within a day of its own time and of when what it
                seals had ended, the verdict says: witnessed, else in what part it is
  --sha256 HEX  the SHA-256 that the file must have, whole
  --record FILE the record of the package (or the data of its event), whose sha256 the file must have
  --json        the report as JSON
  --help        this text

Exit status: 0 all verified, 1 something is wrong, 2 something could not be checked or is not signed.
`

/** Where a command writes. */
export interface Output {
  out(text: string): void
  err(text: string): void
}

/** The command `countersign-verify`; resolves to its exit status. */
export async function main(args: readonly string[], { out, err }: Output): Promise<number> {
  const flags = readFlags(args)
  if (typeof flags === 'string') {
    err(`${flags}\n\n${usage}`)
    return 2
  }
  if (flags.help) {
    out(usage)
    return 0
  }
  const reports: FileReport[] = []
  let unreadable = false
  try {
    const keys = await allKeys(flags.keys)
    const compared = await comparedBy(flags)
    for (const file of flags.files) {
      const report = await verifyFile(file, keys, compared).catch((error: unknown) => error)
      if (report instanceof Error) {
        err(`${file}: can not be read: ${report.message}\n`)
        unreadable = true
        continue
      }
      reports.push(report as FileReport)
      if (!flags.json) out(wordsOf(report as FileReport))
    }
  } catch (error) {
    err(
      `--keys, --known, --tsa or --record: ${error instanceof Error ? error.message : String(error)}\n`,
    )
    return 2
  }
  const status = statusOf(reports, unreadable)
  if (flags.json) out(`${JSON.stringify({ status, files: reports }, null, 2)}\n`)
  return status
}

function readFlags(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        keys: { type: 'string', multiple: true, default: [] },
        known: { type: 'string', multiple: true, default: [] },
        tsa: { type: 'string', multiple: true, default: [] },
        sha256: { type: 'string' },
        record: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    if (positionals.length === 0 && !values.help) return 'expected a file to verify'
    if (values.sha256 !== undefined && !/^[0-9a-f]{64}$/.test(values.sha256))
      return '--sha256: expected 64 lower-case hex digits'
    const isOne = values.sha256 ?? values.record
    if (isOne !== undefined && positionals.length > 1)
      return '--sha256 and --record are of one file'
    return { ...values, files: positionals }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function comparedBy(flags: {
  readonly known: readonly string[]
  readonly tsa: readonly string[]
  readonly sha256?: string
  readonly record?: string
}): Promise<Compared> {
  return {
    known: flags.known.length > 0 ? await readKnownFiles(flags.known) : null,
    authorOf: flags.tsa.length > 0 ? await readAuthorityFiles(flags.tsa) : null,
    sha256:
      flags.record === undefined ? (flags.sha256 ?? null) : await readRecordFile(flags.record),
  }
}

async function allKeys(files: readonly string[]): Promise<EvidenceKeys | null> {
  if (files.length === 0) return null
  const each = await Promise.all(files.map(readKeyFile))
  return new Map(each.flatMap((keys) => [...keys]))
}

function statusOf(reports: readonly FileReport[], unreadable: boolean): number {
  if (reports.some(({ verdict }) => verdict === 'failed')) return 1
  return unreadable || reports.some(({ verdict }) => verdict !== 'verified') ? 2 : 0
}
