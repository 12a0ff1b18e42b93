import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Client } from './client.ts'

/** An evidence pack as a file, and what the offline verifier says of it. */
export interface PackReport {
  readonly file: string
  readonly keysFile: string
  readonly bytes: number
  /** Sessions that it has evidence of. */
  readonly sessions: number
  /** Checks that held. */
  readonly checks: number
  /** Decisions that their reviewers signed, and that the service alone recorded. */
  readonly decisions: { readonly signed: number; readonly recorded: number }
  readonly verdict: string
  /** The verdict on a copy of which one byte was changed: `failed`. */
  readonly tamperedVerdict: string
}

interface Finding {
  readonly result: string
  readonly check: string
  /** The file, then what it is of: `…/evidence.json: session ses_1`. */
  readonly about: string
}

interface Verified {
  readonly verdict: string
  readonly findings: readonly Finding[]
}

/** Exports the sessions of an application into `directory`, verifies the file, and looks that a changed byte is found. */
export async function exportPack(
  portal: Client,
  {
    directory,
    tenantId,
    applicationId,
  }: { readonly directory: string; readonly tenantId: string; readonly applicationId: string },
): Promise<PackReport> {
  const [file, keysFile] = [join(directory, 'evidence-pack.zip'), join(directory, 'keys.json')]
  const pack = await portal.download('POST', '/v1/applications/evidence/bulk-export', {
    applicationIds: [applicationId],
  })
  writeFileSync(file, pack)
  writeFileSync(keysFile, await portal.download('GET', `/.well-known/evidence-keys/${tenantId}`))
  const { verdict, findings } = verify(file, keysFile)
  const held = findings.filter(({ result }) => result === 'verified')
  return {
    file,
    keysFile,
    bytes: pack.length,
    sessions: held.filter(isOfSession).length,
    checks: held.length,
    decisions: {
      signed: held.filter(isOfDecision).length,
      recorded: findings.filter(isOfDecision).filter(({ result }) => result === 'noted').length,
    },
    verdict,
    tamperedVerdict: verifyTampered(file, pack, keysFile),
  }
}

/** Whether a finding is that a session lies under a root; a review case that ended lies under one too. */
function isOfSession({ check, about }: Finding): boolean {
  return check === 'inclusion' && about.includes(': session ')
}

function isOfDecision({ check }: Finding): boolean {
  return check === 'decision'
}

/** The verdict on a copy with one byte changed in the middle. */
function verifyTampered(file: string, pack: Uint8Array, keysFile: string): string {
  const copy = `${file}.tampered`
  const bytes = Uint8Array.from(pack)
  const middle = bytes.length >> 1
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  writeFileSync(copy, bytes)
  try {
    return verify(copy, keysFile).verdict
  } finally {
    rmSync(copy)
  }
}

/** Runs `countersign-verify`, which knows nothing of the service. */
function verify(file: string, keysFile: string): Verified {
  const command = fileURLToPath(
    new URL('../verify.mjs', import.meta.resolve('@countersign/documents')),
  )
  const ran = spawnSync(process.execPath, [command, '--json', '--keys', keysFile, file], {
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
  })
  if (ran.stdout === '') throw new Error(`${basename(command)}: ${ran.stderr}`)
  const { files } = JSON.parse(ran.stdout) as { readonly files: readonly Verified[] }
  const [report] = files
  if (!report) throw new Error(`${basename(command)}: ${ran.stderr}`)
  return report
}
