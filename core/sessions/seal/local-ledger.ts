import type { AnchorEntry, AnchorLedger } from '../../base/ports/anchor.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { anchorHashOf, firstPreviousHash } from '../../proof/commitment.ts'
import { type EvidenceSigner, signAnchor } from '../../proof/sign.ts'

/** The service's own ledger: a chain of entries for each tenant, signed with the tenant's evidence key. */
export function localLedger(deps: {
  readonly signerOf: (tenantId: string) => Promise<EvidenceSigner>
}): AnchorLedger {
  return {
    name: 'local',
    async submit({ tenantId, commitments, last, now }) {
      const signer = await deps.signerOf(tenantId)
      let previousHash = last?.entryHash ?? firstPreviousHash
      return commitments.map(({ sequence, commitment }) => {
        const entry: AnchorEntry = signAnchor(
          {
            anchorVersion: '1.0' as const,
            ledger: 'local',
            sequence,
            commitment,
            previousHash,
            anchoredAt: isoTime(now),
          },
          signer,
        )
        previousHash = anchorHashOf(entry)
        return { entry, status: 'recorded' }
      })
    },
    refresh: async ({ entry }) => ({ entry, status: 'recorded' }),
  }
}
