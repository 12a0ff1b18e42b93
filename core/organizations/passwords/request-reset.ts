import { isoTime } from '../../kernel/ledger/iso-time.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { object } from '../../kernel/members.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { anyText, just } from '../../kernel/shape.ts'
import { handler, type WorkHandler } from '../../kernel/work/handler.ts'
import { workAt } from '../../kernel/work/records.ts'
import { addressKey } from '../access/address-key.ts'
import { caller } from '../access/caller.ts'
import type { AccessDeps } from '../access/deps.ts'
import { emailKeyOf, isPossibleEmail } from '../access/email.ts'
import type { AccessTools, ResetRequests } from '../access/tools.ts'
import { deviceSubject } from '../logins/devices.ts'
import { createHourlyLimit } from './hourly-limit.ts'
import { newReset, resettable } from './new-reset.ts'
import { resetMailsPerHour } from './records.ts'

/** The work item of an e-mail address that a reset was asked for, by a hash of the address. */
const resetKind = 'passwordReset'
/** Requests of one network address within an hour; later ones are dropped. */
const requestsPerAddress = 20

/** The requests of this process. */
export function createResetRequests(): ResetRequests {
  return {
    emails: createHourlyLimit(resetMailsPerHour),
    addresses: createHourlyLimit(requestsPerAddress),
  }
}

/**
 * Asks for a mail with the link of a reset, which goes out in the background to an active member of an active
 * organization, at most three times an hour; none without a mailer. Schedules the look-up of the member, so that known
 * and unknown addresses cost the caller the same. Requests beyond the limits are answered alike and write nothing.
 */
export const requestPasswordReset = operationsWith<AccessTools>().command({
  name: 'auth.requestPasswordReset',
  doc: 'Ask for a mail with the link of a reset; the answer is always the same',
  by: 'anyone',
  right: null,
  takes: { email: anyText(longest.email), ...caller },
  gives: object({ requested: just(true) }, 'ResetRequested'),
  refuses: [],
  async prepare({ tools: { clock, post, tries } }, { email, address }) {
    if (!post.sends || !isPossibleEmail(email)) return null
    const ref = deviceSubject(emailKeyOf(email))
    const { addresses, emails } = tries.resetRequests
    const now = clock.monotonic()
    return addresses.take(addressKey(address), now) && emails.take(ref, now) ? ref : null
  },
  async run(unit, { email }, ref) {
    if (ref !== null)
      unit.wake(
        workAt({
          kind: resetKind,
          ref,
          tenantId: null,
          due: unit.now,
          state: { emailKey: emailKeyOf(email) } satisfies Asked,
        }),
      )
    return { requested: true as const }
  },
})

interface Asked {
  readonly emailKey: string
}

/** Owes the mail of a reset that was asked for, where the member may have one. */
export function createResetSending(deps: Pick<AccessDeps, 'portalUrl'>): WorkHandler {
  return handler<Asked>({
    kind: resetKind,
    of: 'system',
    async run(unit, { state: { emailKey } }) {
      const found = await resettable(unit, emailKey, 'member')
      if (!found.ok) return null
      const { member, sent } = found.value
      if (sent.length >= resetMailsPerHour) return null
      const made = newReset(deps, unit, found.value)
      const { tenantId, email } = member.row
      unit.include(made.set({ by: 'system', sentAt: [...sent, unit.now] }))
      unit.mail({ to: email, ...letterOf(unit, made.resetUrl, made.expiresAt) }, tenantId)
      return null
    },
  })
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
