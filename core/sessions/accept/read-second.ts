import type { Found } from '../../base/ports/store.ts'
import type { SessionKey } from '../../content/records.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { inTurn } from '../../kernel/ledger/reads.ts'
import { consequenceReads } from '../../policies/consequences.ts'
import type { Judged } from '../../policies/judged.ts'
import { judgementItemOf } from '../../policies/judgement/item.ts'
import type { IngestDeps } from '../deps.ts'
import { sourceReads } from './name-traces.ts'

/** What a unit of work reads once its steps are judged. */
export interface Second {
  /** The vault's keys of the subjects. */
  readonly vault: readonly Found[]
  /** What consequences of the judgements rely on. */
  readonly implied: readonly Found[]
  /** Whether a step is denied. */
  readonly denies: boolean
  /** The work item that judges alert rules; undefined unless a step is denied. */
  readonly judgementItem: Found | undefined
  /** Sessions that steps of this trace lay in so far. */
  readonly sources: readonly Found[]
}

/** Reads it in one round trip. */
export async function readSecond(
  { vault }: Pick<IngestDeps, 'vault'>,
  unit: UnitOfWork,
  key: SessionKey,
  asked: {
    readonly subjectIds: readonly string[]
    readonly judgements: readonly Judged[]
    readonly sources: readonly string[]
  },
): Promise<Second> {
  const vaultReads = vault.reads(key, asked.subjectIds)
  const impliedReads = consequenceReads(key, asked.judgements)
  const denies = asked.judgements.some(({ judgement }) =>
    judgement.results.some(({ effect }) => effect === 'deny'),
  )
  const itemReads = denies ? [judgementItemOf(key.tenantId)] : []
  const placeReads = sourceReads(key, asked.sources)
  const take = inTurn(
    await unit.read([...vaultReads, ...impliedReads, ...itemReads, ...placeReads]),
  )
  return {
    vault: take(vaultReads.length),
    implied: take(impliedReads.length),
    denies,
    judgementItem: take(itemReads.length)[0],
    sources: take(placeReads.length),
  }
}
