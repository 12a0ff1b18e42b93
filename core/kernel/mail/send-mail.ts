import type { Clock } from '../../base/ports/clock.ts'
import type { Mail, Mailer } from '../../base/ports/mailer.ts'
import type { Observer } from '../../base/ports/observer.ts'
import type { Sealer } from '../../base/ports/secrets.ts'
import type { UnitOfWork } from '../ledger/ledger.ts'
import { handler, type WorkHandler } from '../work/handler.ts'
import { retryDelay } from '../work/runner.ts'
import { type Letter, mailKind } from './post.ts'
import { mailContext, type OwedMail, owedMails } from './records.ts'

/** A mail that nobody took for so long is given up; an invitation's token has ended by then. */
const giveUpMs = 72 * 60 * 60 * 1_000
/** How long one send may take; shorter than a work item's lease. */
const patienceMs = 30_000

/** What the handler needs of the host. */
export interface MailDeps {
  readonly mailer?: Mailer
  readonly sealer: Sealer
  readonly clock: Clock
  readonly observer: Observer
  /** The organization's contact address; null where it has none. */
  readonly contactOf: (unit: UnitOfWork, tenantId: string) => Promise<string | null>
}

/**
 * Sends owed mails, each at least once and under one idempotency key, with the backoff of due work. The observer
 * hears of no errors of the mailer, which often name the address; the mailer logs its own.
 */
export function createMailHandler(deps: MailDeps): WorkHandler {
  return handler<number | null>({
    kind: mailKind,
    async run(unit, { tenantId, ref: mailId, state }) {
      const { owed } = await unit.ask({ owed: owedMails.get(tenantId, mailId) })
      if (!owed) return null
      const mail = await mailOf(deps, unit, owed.row)
      const isOwed = mail && deps.mailer && unit.now - owed.row.createdAt < giveUpMs
      if (!isOwed) deps.observer.event('mail.given_up', { mailId, tenantId })
      if (!isOwed || (await sent(deps.clock, deps.mailer, mail))) {
        unit.remove(owedMails, owed)
        return null
      }
      const tries = (state ?? 0) + 1
      deps.observer.event('mail.failed', { mailId, tenantId, tries })
      // Later than the unit's time by as long as the mailer took.
      return { next: deps.clock.now() + retryDelay(tries), state: tries }
    },
  })
}

/** Null where the organization has no address to send it to. */
async function mailOf(deps: MailDeps, unit: UnitOfWork, owed: OwedMail): Promise<Mail | null> {
  const { tenantId, mailId, sealed } = owed
  const plain = deps.sealer.open(sealed, mailContext(tenantId, mailId))
  const letter = JSON.parse(new TextDecoder().decode(plain)) as Letter
  const to = letter.to ?? (await deps.contactOf(unit, tenantId))
  return to === null ? null : { ...letter, to, idempotencyKey: mailId }
}

async function sent(clock: Clock, mailer: Mailer, mail: Mail): Promise<boolean> {
  let cancel = () => {}
  const late = new Promise<false>((resolve) => {
    cancel = clock.after(patienceMs, () => resolve(false))
  })
  try {
    return await Promise.race([mailer.send(mail).then(() => true), late])
  } catch {
    return false
  } finally {
    cancel()
  }
}
