import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { commit, type UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import { ok } from '../../kernel/ledger/refusal.ts'
import type { WorkHandler } from '../../kernel/work/handler.ts'
import { schedule, workItems } from '../../kernel/work/records.ts'
import { addressKey } from '../access/address-key.ts'
import type { AccessDeps } from '../access/deps.ts'
import { emailKeyOf, isPossibleEmail } from '../access/email.ts'
import { deviceSubject } from '../logins/devices.ts'
import { createHourlyLimit } from './hourly-limit.ts'
import { newReset, resettable } from './new-reset.ts'
import { resetMailsPerHour } from './records.ts'
import type { PasswordUseCases } from './use-cases.ts'

/** The work item of an e-mail address that a reset was asked for, by a hash of the address. */
const resetKind = 'passwordReset'
/** Requests of one network address within an hour; later ones are dropped. */
const requestsPerAddress = 20

/**
 * Schedules the look-up of the member, so that known and unknown addresses cost the caller the same. Requests beyond
 * the limits are answered alike and write nothing.
 */
export function requestPasswordReset({
  ledger,
  clock,
  post,
}: AccessDeps): PasswordUseCases['requestPasswordReset'] {
  const emails = createHourlyLimit(resetMailsPerHour)
  const addresses = createHourlyLimit(requestsPerAddress)
  return async ({ email, address }) => {
    if (!post.sends || !isPossibleEmail(email)) return ok(null)
    const ref = deviceSubject(emailKeyOf(email))
    const now = clock.monotonic()
    if (!addresses.take(addressKey(address), now) || !emails.take(ref, now)) return ok(null)
    return ledger.execute<null>(null, async (unit) => {
      const [found] = await unit.read([get(workItems, [resetKind, ref])])
      const item = { kind: resetKind, ref, tenantId: null, applicationId: null, due: unit.now }
      const state = { emailKey: emailKeyOf(email) }
      return commit({ puts: [schedule({ ...item, state }, one(workItems, found))] }, null)
    })
  }
}

/** Owes the mail of a reset that was asked for, where the member may have one. */
export function createResetSending(deps: Pick<AccessDeps, 'post' | 'portalUrl'>): WorkHandler {
  return {
    kind: resetKind,
    async run({ state }, unit) {
      const { emailKey } = state as { readonly emailKey: string }
      const found = await resettable(unit, emailKey)
      if (!found.ok) return { next: null }
      const made = newReset(deps, unit, found.value)
      const { member, sent } = found.value
      if (sent.length >= resetMailsPerHour) return { next: null }
      const { tenantId, email } = member.row
      const letter = { to: email, ...letterOf(unit, made.resetUrl, made.expiresAt) }
      const { puts, checks, appends } = made.set({ by: 'system', sentAt: [...sent, unit.now] })
      return {
        set: { puts: [...puts, ...deps.post.owe(unit, tenantId, letter)], checks, appends },
        next: null,
      }
    },
  }
}

function letterOf({ now }: Pick<UnitOfWork, 'now'>, url: string, expiresAt: number) {
  const text = [
    `Another password for your account was asked for at ${isoTime(now)}.`,
    '',
    `Choose it here before ${isoTime(expiresAt)}:`,
    url,
    '',
    'If you did not ask for it, ignore this mail: your password stays as it is.',
  ].join('\n')
  return { subject: 'Choose another password', text }
}
