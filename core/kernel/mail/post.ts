import type { Mailer } from '../../base/ports/mailer.ts'
import type { Sealer } from '../../base/ports/secrets.ts'
import type { Put } from '../../base/ports/store.ts'
import type { UnitOfWork } from '../ledger/ledger.ts'
import { put } from '../ledger/reads.ts'
import { schedule } from '../work/records.ts'
import { mailContext, owedMails } from './records.ts'

/** What a mail says, and to whom. */
export interface Letter {
  /** Null: the organization's contact address, as it is when the mail is sent. */
  readonly to: string | null
  /** One line. */
  readonly subject: string
  readonly text: string
}

/** Owes mails in the change set of what they tell (decision 83). */
export interface Post {
  /** Whether there is a mailer; without one nothing is owed. */
  readonly sends: boolean
  /** The puts that owe a mail; none without a mailer. */
  owe(unit: Pick<UnitOfWork, 'now' | 'id'>, tenantId: string, letter: Letter): readonly Put[]
}

/** The work item of a mail, one to one. */
export const mailKind = 'mail'

const utf8 = new TextEncoder()

/** Mails of a host with a mailer, or without. */
export function createPost(ports: { readonly mailer?: Mailer; readonly sealer: Sealer }): Post {
  const { mailer, sealer } = ports
  if (!mailer) return { sends: false, owe: () => [] }
  return {
    sends: true,
    owe({ now, id }, tenantId, { to, subject, text }) {
      const mailId = id('mail')
      const letter = utf8.encode(JSON.stringify({ to, subject, text } satisfies Letter))
      const sealed = sealer.seal(letter, mailContext(tenantId, mailId))
      return [
        put(owedMails, { tenantId, mailId, sealed, createdAt: now }, null),
        schedule({ kind: mailKind, ref: mailId, tenantId, applicationId: null, due: now }),
      ]
    },
  }
}
