import type { AuditEntryAnswer } from '@countersign/client'

type Linked = Pick<AuditEntryAnswer, 'position' | 'hash' | 'previousHash'>

/** The position of an entry that does not hold the hash of the one before it, where both are given; the newest first. */
export function brokenLink(entries: readonly Linked[]): number | null {
  const broken = entries.find(({ position, previousHash }, at) => {
    const before = entries[at + 1]
    return before?.position === position - 1 && before.hash !== previousHash
  })
  return broken?.position ?? null
}
