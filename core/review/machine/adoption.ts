import { digestOf } from '../../base/canonical/digest.ts'
import type { ReviewCase } from '../records.ts'
import type { Presentation } from '../shapes.ts'

/** Member of an adopted case's presentation: what the application itself asked, beside what the policy shows. */
export const askedMember = 'application'

type Past = Pick<ReviewCase, 'history'>

/** Whether a policy rule opened the case, and no application. */
function isPolicyCase({ history }: Past): boolean {
  return history[0]?.actor === 'system'
}

/** Whether an application's own opening took over a case that a policy rule had opened. */
export function isAdopted({ history }: Past): boolean {
  return history.some(({ step }) => step === 'adopted')
}

/** Whether the case goes with the rule that required it: no application asked for it since. */
export function goesWithItsRule(review: Past): boolean {
  return isPolicyCase(review) && !isAdopted(review)
}

/** The policy's presentation with the application's own beside it. */
export function withAsked(policy: Presentation | null, asked: Presentation): Presentation {
  return { ...policy, [askedMember]: asked }
}

/** Whether an adopted case was adopted by an opening with this presentation. */
export function asksTheSame({ presentation }: ReviewCase, asked: Presentation): boolean {
  return digestOf(presentation?.[askedMember] ?? null) === digestOf(asked)
}
