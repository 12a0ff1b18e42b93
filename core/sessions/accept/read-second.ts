import type { SessionKey } from '../../content/records.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { answered, askedOf, foundBy, queryOf } from '../../kernel/query.ts'
import { consequenceReads } from '../../policies/consequences.ts'
import type { Judged } from '../../policies/judged.ts'
import { judgementItemOf } from '../../policies/judgement/item.ts'
import type { IngestDeps } from '../deps.ts'
import { sourcesBy } from './name-traces.ts'

/** What a unit of work reads once its steps are judged. */
export type Second = Awaited<ReturnType<typeof readSecond>>

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
) {
  const denies = asked.judgements.some(({ judgement }) =>
    judgement.results.some(({ effect }) => effect === 'deny'),
  )
  const found = await askedOf(unit, {
    // Keys of the subjects.
    vault: queryOf(vault.reads(key, asked.subjectIds), (found) => found),
    // What consequences of the judgements rely on.
    implied: queryOf(consequenceReads(key, asked.judgements), (found) => found),
    // The work item that judges alert rules.
    judgementItem: denies ? foundBy(judgementItemOf(key.tenantId)) : answered(undefined),
    // Sessions that steps of these traces lay in so far.
    sources: sourcesBy(key, asked.sources),
  })
  return { ...found, denies }
}
