import { hexToBytes } from '@noble/hashes/utils.js'
import type { Versioned } from '../../base/ports/store.ts'
import type { TimeStampAuthority } from '../../base/ports/time-stamps.ts'
import { type Anchor, anchors } from '../../content/seal-records.ts'
import { list, many } from '../../kernel/ledger/reads.ts'
import { handler, type WorkHandler } from '../../kernel/work/handler.ts'
import type { WorkItem } from '../../kernel/work/records.ts'
import { encodeBase64 } from '../../proof/signing/encoding.ts'
import { longestTimeStamp, readTimeStamp } from '../../proof/time-stamp.ts'
import { ensureScheduled, timeStampKind } from '../work-kinds.ts'

/** Entries for which an authority is asked side by side, within one lease. */
const most = 10

/** The time stamps of a tenant's entries, after this commit. */
export function stampAfter(
  tenantId: string,
  due: number,
  was: Versioned<WorkItem> | null,
): ReturnType<typeof ensureScheduled> {
  const item = { kind: timeStampKind, ref: tenantId, tenantId, applicationId: null, due }
  return ensureScheduled(item, was)
}

/**
 * Has the hash of each entry of a tenant's ledger stamped, once the entry is there for good. A local entry names the
 * hash of the one before, so that a stamp covers the ledger up to it.
 */
export function createTimeStamping(authority: TimeStampAuthority): WorkHandler {
  return handler({
    kind: timeStampKind,
    run: async (unit, { tenantId }) => {
      const where = [['tenantId', '=', tenantId] as const, ['stampDue', '>', 0] as const]
      const [found] = await unit.read([list(anchors, { by: 'byStampDue', where, take: most })])
      const due = many(anchors, found)
      const answers = await Promise.allSettled(due.map(({ row }) => stampOf(authority, row)))
      for (const [at, was] of due.entries()) {
        const answer = answers[at]
        if (answer?.status === 'fulfilled')
          unit.put(anchors, { ...was.row, timeStamp: answer.value, stampDue: null }, was)
      }
      const failed = answers.filter((answer) => answer.status === 'rejected')
      // Only when none succeeded: what is thrown is retried later and takes the others' stamps with it.
      if (failed[0] && failed.length === due.length) throw failed[0].reason
      return due.length === most || failed.length > 0 ? unit.now : null
    },
  })
}

/** Throws for an answer that is no stamp of the entry's hash: a broken port. */
async function stampOf(authority: TimeStampAuthority, { entryHash }: Anchor): Promise<string> {
  const answer = await authority.stamp(hexToBytes(entryHash))
  const digest = answer.length > longestTimeStamp ? null : readTimeStamp(answer)?.digest
  if (digest !== entryHash)
    throw new Error(
      `the time-stamping authority answered ${answer.length} bytes that stamp ${digest ?? 'nothing'}: expected ${entryHash}, within ${longestTimeStamp} bytes`,
    )
  return encodeBase64(answer)
}
