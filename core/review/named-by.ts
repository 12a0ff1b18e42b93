import type { ApplicationActor } from '../kernel/callers/actor.ts'
import { checkLine } from '../kernel/ledger/check-text.ts'
import { longest } from '../kernel/ledger/limits.ts'
import type { OpeningHost } from './deps.ts'
import type { OpenCase } from './inputs.ts'

/** The pseudonym of whom an opening names: by its own member, else by an id in its presentation. Null for nobody. */
export async function namedBy(
  { vault }: OpeningHost,
  { tenantId }: ApplicationActor,
  { dataSubjectId, presentation }: Pick<OpenCase, 'dataSubjectId' | 'presentation'>,
): Promise<string | null> {
  const shown = presentation.dataSubjectId
  const isId = typeof shown === 'string' && checkLine(shown, '', longest.id).length === 0
  const named = dataSubjectId ?? (isId ? shown : null)
  if (named === null) return null
  const { subjectOf } = await vault.pseudonyms(tenantId)
  return subjectOf(named).subjectId
}
