import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { isObject } from '../../base/events/shape.ts'
import { chainHash, chainStart } from '../../base/store-kit/log-chain.ts'
import { createReport } from './finding.ts'
import { createHeads, type SealedHeads } from './heads.ts'
import { type KnownEvidence, placeIn } from './known.ts'
import type { ListCheck } from './lists.ts'
import { bytesOrNull, hashOf, type Json, msOf, textOf } from './read.ts'
import type { LogReach } from './tails.ts'
import { checkKnownEntries } from './witness.ts'

/** A check of an audit log, and how far it went. */
export interface LogCheck extends ListCheck {
  /** Null for a log that is broken. */
  reach(): LogReach | null
}

/** The hash of an entry of the log, by its own text; null for one that is nested too deeply to have a text. */
export function logHashOf(before: Uint8Array, text: Json): string | null {
  return bytesOrNull(() => bytesToHex(chainHash(before, utf8ToBytes(JSON.stringify(text)))))
}

/**
 * Checks that entries of an audit log follow one another without a gap, each with the SHA-256 of the hash before it
 * and of its own text: the line's JSON without `position`, `previousHash` and `hash`. Reports the first fault, and
 * nothing behind it.
 */
export function checkAuditLog(
  known: KnownEvidence | null = null,
  heads: SealedHeads = createHeads(),
): LogCheck {
  const report = createReport('audit log', new Map(), known)
  const entries: Parameters<typeof checkKnownEntries>[0][number][] = []
  let last: { readonly position: number; readonly hash: Uint8Array } | null = null
  let broken = false
  let [bound, oldest] = [0, Number.POSITIVE_INFINITY]

  function fail(name: string, detail: string): void {
    broken = true
    report.on(name).failed('chain', detail)
  }

  return {
    findings: report.all,
    reach: () =>
      broken
        ? null
        : { last: last?.position ?? 0, lastKnown: entries.at(-1)?.number ?? 0, bound, oldest },
    add(entry) {
      if (broken) return
      const name = `audit log entry ${isObject(entry) ? textOf(entry.position) : '?'}`
      if (!isObject(entry)) return fail(name, 'Expected an entry of the audit log.')
      const { position, previousHash, hash, ...text } = entry
      const [before, own] = [hashOf(previousHash), hashOf(hash)]
      if (typeof position !== 'number' || !Number.isSafeInteger(position) || position < 1)
        return fail(name, 'Expected a position from 1.')
      if (!before || !own) return fail(name, 'Expected previousHash and hash.')
      if (last && position !== last.position + 1)
        return fail(
          name,
          `It follows entry ${last.position}: entries between are missing or doubled.`,
        )
      if (last && bytesToHex(last.hash) !== previousHash)
        return fail(name, 'Its previousHash is not the hash of the entry before.')
      if (!last && (position === 1) !== (bytesToHex(chainStart) === previousHash))
        return fail(name, 'The first entry, and no other, has 64 zeros as previousHash.')
      const computed = logHashOf(before, text)
      if (computed === null || computed !== hash)
        return fail(name, `It hashes to ${computed ?? 'nothing'}, not to its hash ${textOf(hash)}.`)
      if (!heads.fits(position, computed))
        return fail(name, 'A sealed batch commits to another entry here: it was rewritten since.')
      if (!last && position > 1)
        report
          .on(name)
          .noted(
            'chain',
            `The log begins here; ${position - 1} earlier entries are not in this file.`,
          )
      last = { position, hash: own }
      const place = placeIn.auditLog(position)
      const isKnown = known?.entries.has(place) || known?.hashes.has(computed)
      // Only those to compare: the log may be of any length.
      if (isKnown) entries.push({ place, number: position, hash: computed })
      if (isKnown || heads.has(position)) [bound, oldest] = [position, Number.POSITIVE_INFINITY]
      else oldest = Math.min(oldest, msOf(text.at))
    },
    end() {
      if (broken) return
      if (last === null) report.noted('chain', 'The audit log is empty.')
      else
        report.verified(
          'chain',
          `The entries up to ${last.position} form one chain, which ends with ${bytesToHex(last.hash)}.`,
        )
      if (heads.compared() > 0)
        report.verified('batch', `Sealed batches commit to ${heads.compared()} of its entries.`)
      if (entries.length > 0) checkKnownEntries(entries, report)
    },
  }
}
