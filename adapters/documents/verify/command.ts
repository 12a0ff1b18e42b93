import { parseArgs } from 'node:util'
import type { EvidenceKeys } from '@countersign/core/evidence'
import { readKeyFile, verifyFile } from './file.ts'
import type { FileReport } from './report.ts'
import { wordsOf } from './words.ts'

const usage = `Usage: countersign-verify [--keys KEYS.json]… [--json] FILE…

Verifies evidence offline: packs (ZIP), evidence documents, proofs, certificates, anchor ledgers, audit logs and lists
of batches (JSON, JSON lines).

A document is verified when a signature that verifies covers all that it says. Proofs, audit logs and lists of batches
carry no such signature by themselves: that they fit together is checked, who issued them is not, and the status is 2.
Within a pack its signature covers them.

  --keys FILE   the issuer's published keys (JWK set); without them a pack is checked by the key that came with it,
                and the signature of a single document can not be checked
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
    for (const file of flags.files) {
      const report = await verifyFile(file, keys).catch((error: unknown) => error)
      if (report instanceof Error) {
        err(`${file}: can not be read: ${report.message}\n`)
        unreadable = true
        continue
      }
      reports.push(report as FileReport)
      if (!flags.json) out(wordsOf(report as FileReport))
    }
  } catch (error) {
    err(`--keys: ${error instanceof Error ? error.message : String(error)}\n`)
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
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    if (positionals.length === 0 && !values.help) return 'expected a file to verify'
    return { ...values, files: positionals }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
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
