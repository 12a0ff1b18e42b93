import type { Clock } from '../../base/ports/clock.ts'
import type { Mail, Mailer } from '../../base/ports/mailer.ts'
import type { Observer } from '../../base/ports/observer.ts'
import type { Sealer } from '../../base/ports/secrets.ts'
import type { UnitOfWork } from '../ledger/ledger.ts'
import { get, one } from '../ledger/reads.ts'
import type { WorkHandler, WorkStep } from '../work/handler.ts'
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
  return {
    kind: mailKind,
    async run(item, unit) {
      const [found] = await unit.read([get(owedMails, [item.tenantId, item.ref])])
      const owed = one(owedMails, found)
      if (!owed) return { next: null }
      const { tenantId, mailId, createdAt } = owed.row
      const key = [tenantId, mailId] as const
      const gone: WorkStep = {
        set: { removes: [{ in: owedMails.name, key, version: owed.version }] },
        next: null,
      }
      const mail = await mailOf(deps, unit, owed.row)
      if (!mail || !deps.mailer || unit.now - createdAt >= giveUpMs) {
        deps.observer.event('mail.given_up', { mailId, tenantId })
        return gone
      }
      if (await sent(deps.clock, deps.mailer, mail)) return gone
      const tries = (typeof item.state === 'number' ? item.state : 0) + 1
      deps.observer.event('mail.failed', { mailId, tenantId, tries })
      // Later than the unit's time by as long as the mailer took.
      return { next: deps.clock.now() + retryDelay(tries), state: tries }
    },
  }
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
