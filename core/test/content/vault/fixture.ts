import { collections, logs } from '@countersign/core'
import { answer, commit, createLedger, type Ledger } from '@countersign/core/ledger'
import {
  createManualClock,
  createMemoryStore,
  plainCipher,
  plainSealer,
  seededRandom,
} from '@countersign/core/testing'
import type { SubjectName } from '../../../content/vault/pseudonym.ts'
import { subjectKeys } from '../../../content/vault/records.ts'
import { createVault, type Vault } from '../../../content/vault/vault.ts'

export const start: number = Date.UTC(2026, 10, 21, 9, 0, 0)
export const owner = { tenantId: 'ten_1', applicationId: 'app_1' } as const
export const place = { sessionId: 'ses_1', stepId: 'step_1' } as const

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
export const textOf = (bytes: Uint8Array | null): string | null =>
  bytes && new TextDecoder().decode(bytes)

export function vaultWorld() {
  const store = createMemoryStore({ collections, logs })
  const clock = createManualClock(start)
  const random = seededRandom(3)
  const ledger = createLedger({ store, clock, random })
  const ports = { ledger, sealer: plainSealer(), cipher: plainCipher(), random, clock, store }
  return { ...ports, vault: createVault(ports) }
}

/** Seals one payload for a subject in a unit of work of its own. */
export async function sealed(
  { ledger, vault }: { readonly ledger: Ledger; readonly vault: Vault },
  subject: SubjectName,
  plain: string,
  at: typeof owner = owner,
): Promise<Uint8Array> {
  await vault.pseudonyms(at.tenantId)
  const done = await ledger.execute<Uint8Array>(at.tenantId, async (unit) => {
    const found = await unit.read(vault.reads(at, [subject.subjectId]))
    const sealing = vault.sealing(unit, found, at, [subject])
    const frame = sealing.seal(subject.subjectId, place, bytesOf(plain))
    return commit({ puts: sealing.puts, checks: sealing.checks }, frame)
  })
  if (!done.ok) throw new Error(done.refusal.detail)
  return done.value
}

export async function openingOf(
  { ledger, vault }: { readonly ledger: Ledger; readonly vault: Vault },
  subjectId: string,
  at: { readonly tenantId: string; readonly applicationId: string } = owner,
) {
  const found = await ledger.read(at.tenantId, vault.reads(at, [subjectId]))
  return vault.opening(found, at, [subjectId])
}

/** Removes a subject's key behind the vault's back, as an erasure does. */
export async function shred(
  { ledger }: { readonly ledger: Ledger },
  subjectId: string,
  marks: readonly object[] = [],
): Promise<void> {
  const key = [owner.tenantId, owner.applicationId, subjectId] as const
  await ledger.execute<null>(owner.tenantId, async (unit) => {
    const [found] = await unit.read([{ get: subjectKeys.name, key }])
    const version = found?.rows[0]?.version
    if (version === undefined) return answer(null)
    return commit(
      {
        removes: [{ in: subjectKeys.name, key, version }],
        puts: marks.map((row) => ({ in: 'erasedSubjects', row, was: null })),
      },
      null,
    )
  })
}
