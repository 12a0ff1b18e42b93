import type { Anchoring, AnchorLedger } from '../base/ports/anchor.ts'
import { isoTime } from '../kernel/ledger/iso-time.ts'
import { firstPreviousHash } from '../proof/commitment.ts'
import { encodeBase64 } from '../proof/signing/encoding.ts'

/** A ledger elsewhere, whose contents tests look at. */
export interface DelayedLedger extends AnchorLedger {
  /** Every commitment that it took, in order. */
  readonly taken: readonly string[]
}

interface Held {
  readonly tenantId: string
  readonly sequence: number
  readonly commitment: string
  readonly takenAt: number
}

const utf8 = new TextEncoder()

/** An anchor ledger that has an entry for good only some time after it took it. For tests alone. */
export function createDelayedLedger(delayMs: number, name = 'witness'): DelayedLedger {
  const held: Held[] = []

  function anchoring(position: number, now: number): Anchoring {
    const { sequence, commitment, takenAt } = held[position] as Held
    const included = now >= takenAt + delayMs
    const receipt = `${included ? 'included' : 'taken'} at ${position}`
    return {
      entry: {
        anchorVersion: '1.0',
        ledger: name,
        sequence,
        commitment,
        previousHash: firstPreviousHash,
        anchoredAt: isoTime(takenAt),
        keyId: `${name}-1`,
        signature: encodeBase64(utf8.encode(receipt)),
      },
      status: included ? 'included' : 'submitted',
    }
  }

  function positionOf(tenantId: string, commitment: string): number {
    return held.findIndex((each) => each.tenantId === tenantId && each.commitment === commitment)
  }

  return {
    name,
    get taken() {
      return held.map(({ commitment }) => commitment)
    },
    submit: async ({ tenantId, commitments, now }) =>
      commitments.map(({ sequence, commitment }) => {
        const known = positionOf(tenantId, commitment)
        if (known >= 0) return anchoring(known, now)
        return anchoring(held.push({ tenantId, sequence, commitment, takenAt: now }) - 1, now)
      }),
    refresh: async ({ tenantId, entry, now }) => {
      const known = positionOf(tenantId, entry.commitment)
      if (known < 0) throw new Error(`the ledger ${name} has no commitment ${entry.commitment}`)
      return anchoring(known, now)
    },
  }
}
