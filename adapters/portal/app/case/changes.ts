import type { CaseAnswer } from '@countersign/client'

/** Something that happened to a case between two readings. */
export type Change =
  | { readonly kind: 'decided'; readonly by: string | null; readonly decision: string }
  | { readonly kind: 'cancelled'; readonly reason: string | null }
  | { readonly kind: 'expired' }
  | { readonly kind: 'assigned'; readonly to: string }
  | { readonly kind: 'asked' }
  | { readonly kind: 'answered' }
  | { readonly kind: 'overdue' }
  | { readonly kind: 'document' }
  | { readonly kind: 'other' }

/** What is different in a case, the weightiest first; empty: nothing that a reader acts on. */
export function changesOf(before: CaseAnswer, after: CaseAnswer): readonly Change[] {
  const found: Change[] = []
  const answered = ({ followUps }: CaseAnswer) =>
    followUps.filter(({ answer }) => answer !== null).length
  if (before.state === 'open' && after.state !== 'open') found.push(endOf(after))
  const to = after.assignment?.reviewerId
  if (to !== undefined && to !== before.assignment?.reviewerId) found.push({ kind: 'assigned', to })
  if (answered(after) > answered(before)) found.push({ kind: 'answered' })
  else if (after.presentationDigest !== before.presentationDigest && before.presentationDigest)
    found.push({ kind: 'document' })
  if (after.followUps.length > before.followUps.length) found.push({ kind: 'asked' })
  if (after.overdueAt !== null && before.overdueAt === null) found.push({ kind: 'overdue' })
  const moved =
    after.caseVersion !== before.caseVersion || after.eventSequence !== before.eventSequence
  return found.length === 0 && moved ? [{ kind: 'other' }] : found
}

function endOf({ state, decision, decidedBy, cancellationReason }: CaseAnswer): Change {
  if (state === 'expired') return { kind: 'expired' }
  if (state === 'cancelled') return { kind: 'cancelled', reason: cancellationReason }
  return { kind: 'decided', by: decidedBy, decision: decision ?? state }
}
