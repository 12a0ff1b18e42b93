import type { RefusalCode } from '../../kernel/ledger/refusal.ts'
import type { Letter } from '../../kernel/mail/post.ts'
import type { Unit } from '../../kernel/unit.ts'
import { type Counting, countLetter } from './count-letter.ts'

/** A kind of letter to an organization's contact address about what a session alone changes. */
export type ContactLetter = 'deletion_requested' | 'deletion_cancelled'

/** Sends a letter, to the contact address where it names no other; no more about one thing, or of a kind, than the limits. */
export async function tellContact<Code extends RefusalCode>(
  unit: Counting<Code> & Pick<Unit<null, Code>, 'mail'>,
  tenantId: string,
  counted: { readonly kind: ContactLetter; readonly about: string },
  letter: Letter,
): Promise<void> {
  const end = await countLetter(unit, tenantId, counted)
  if (end !== null) unit.mail({ ...letter, text: `${letter.text}\n${end}` }, tenantId)
}
