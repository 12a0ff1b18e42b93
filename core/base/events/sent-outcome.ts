import { decisionSignatureMembers } from './decision-signature.ts'
import { outcomeMembers } from './outcome.ts'
import type { ObjectOf } from './shape.ts'

/**
 * Members of the outcome callback as this service sends it. Receivers that ask for no signature read `outcomeMembers`,
 * and pass over the signature whatever it is.
 */
export const sentOutcomeMembers = {
  ...outcomeMembers,
  'decisionSignature?': decisionSignatureMembers,
} as const

/** Body of the outcome callback as this service sends it. */
export type SentOutcome = ObjectOf<typeof sentOutcomeMembers>
