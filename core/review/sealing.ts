import { outcomeType } from '../base/events/outcome.ts'
import type { Sealer } from '../base/ports/secrets.ts'
import type { SealedMembers } from '../kernel/sealing/sealed-members.ts'
import { type Message, messages } from '../outbox/records.ts'
import { type ReviewCase, reviewCases } from './records.ts'

const utf8 = new TextEncoder()
const fromUtf8 = new TextDecoder('utf-8', { fatal: true })

type Owner = Pick<ReviewCase, 'tenantId' | 'applicationId' | 'reviewCaseId'>

function tokenContext({ tenantId, applicationId, reviewCaseId }: Owner): string {
  return JSON.stringify(['resume token', tenantId, applicationId, reviewCaseId])
}

export function sealToken(sealer: Sealer, owner: Owner, token: string): Uint8Array {
  return sealer.seal(utf8.encode(token), tokenContext(owner))
}

/** The application's resume token in clear text; null where it gave none. */
export function openToken(sealer: Sealer, review: ReviewCase): string | null {
  const { resumeToken } = review
  return resumeToken && fromUtf8.decode(sealer.open(resumeToken, tokenContext(review)))
}

type Body = Pick<Message, 'tenantId' | 'messageId' | 'body'>

function outcomeContext({ tenantId, messageId }: Pick<Message, 'tenantId' | 'messageId'>): string {
  return JSON.stringify(['outcome callback', tenantId, messageId])
}

/** An outcome's bytes as they are stored: they hold the resume token and the reviewer's response. */
export function sealOutcome(sealer: Sealer, outcome: Body): Uint8Array {
  return sealer.seal(outcome.body, outcomeContext(outcome))
}

/** An outcome's bytes as they are signed and sent; of one that has no key of its own (`outcome-keys.ts`). */
export function openOutcome(sealer: Sealer, outcome: Body): Uint8Array {
  return sealer.open(outcome.body, outcomeContext(outcome))
}

/** Leads a body under a key of its own; sealed bytes begin below 0x20, and no text in UTF-8 has it. */
export const ownKeyMark = 0xff

/** Whether a stored outcome lies under a key of its own. */
export function hasOwnKey(body: Uint8Array): boolean {
  return body[0] === ownKeyMark
}

export const sealedTokens: SealedMembers<ReviewCase> = {
  collection: reviewCases,
  map: (review, change) => {
    const { resumeToken } = review
    return resumeToken
      ? { ...review, resumeToken: change(resumeToken, tokenContext(review)) }
      : review
  },
}

export const sealedOutcomes: SealedMembers<Message> = {
  collection: messages,
  // The ids of outcome callbacks, so that the walk reads no events.
  where: [
    ['messageId', '>=', 'cb_'],
    ['messageId', '<', 'cb`'],
  ],
  map: (message, change) =>
    message.type === outcomeType && !hasOwnKey(message.body)
      ? { ...message, body: change(message.body, outcomeContext(message)) }
      : message,
}
