import { actorName } from '../access/actor.ts'
import { authorizeStaff } from '../access/authorize.ts'
import { executeAsStaff } from '../access/execute-as.ts'
import { staffCustomerKeyView } from '../access/present.ts'
import { customerKeys } from '../access/records.ts'
import type { AccessUseCases } from '../access/use-cases.ts'
import { audit } from '../ledger/audit.ts'
import { refuseErrors, wrong } from '../ledger/input-errors.ts'
import { isoTime } from '../ledger/iso-time.ts'
import { answer, commit, refusal } from '../ledger/ledger.ts'
import { highestRatePerMinute } from '../ledger/limits.ts'
import { get, list, one, put } from '../ledger/reads.ts'
import { refuse } from '../ledger/refusal.ts'
import type { ApplicationDeps } from './deps.ts'

const right = 'setCustomerKeyRates'
const noKey = refuse('not_found', 'no such customer key')

/** Holds from the key's next request on, since each reads the key. */
export function setCustomerKeyRate({
  ledger,
}: ApplicationDeps): AccessUseCases['setCustomerKeyRate'] {
  return async (actor, keyId, { ratePerMinute = null }) => {
    const staff = authorizeStaff(actor, right)
    if (!staff.ok) return staff
    const malformed = refuseErrors(
      ratePerMinute === null || isRate(ratePerMinute)
        ? []
        : [
            wrong(
              '/ratePerMinute',
              `expected an integer from 1 to ${highestRatePerMinute}, or null, got ${ratePerMinute}`,
            ),
          ],
    )
    if (malformed) return malformed
    const [known] = await ledger.read(null, [
      list(customerKeys, { by: 'byId', where: [['keyId', '=', keyId]], take: 1 }),
    ])
    const key = one(customerKeys, known)
    if (!key) return noKey
    const { tenantId } = key.row
    return executeAsStaff(ledger, { actor, right, tenantId }, async ({ now, read }, by) => {
      const [found] = await read([get(customerKeys, [tenantId, keyId])])
      const was = one(customerKeys, found)
      if (!was) return refusal(noKey)
      if (was.row.ratePerMinute === ratePerMinute) return answer(staffCustomerKeyView(was.row, now))
      const changed = { ...was.row, ratePerMinute }
      return commit(
        {
          puts: [put(customerKeys, changed, was)],
          appends: [
            audit(tenantId, {
              at: isoTime(now),
              actor: actorName(by),
              action: 'customer_key.rate_set',
              subject: keyId,
              detail: { ratePerMinute },
            }),
          ],
        },
        staffCustomerKeyView(changed, now),
      )
    })
  }
}

function isRate(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1 && value <= highestRatePerMinute
}
