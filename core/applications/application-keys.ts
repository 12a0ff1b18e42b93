import { actorName } from '../access/actor.ts'
import {
  hashApplicationKey,
  maskedApplicationKey,
  newApplicationKey,
} from '../access/application-key.ts'
import { authorizeMember } from '../access/authorize.ts'
import { executeAs } from '../access/execute-as.ts'
import { applicationKeyView } from '../access/present.ts'
import { type ApplicationKey, applicationKeys } from '../access/records.ts'
import type { AccessUseCases } from '../access/use-cases.ts'
import { audit } from '../ledger/audit.ts'
import { checkName } from '../ledger/check-text.ts'
import { refuseErrors } from '../ledger/input-errors.ts'
import { isoTime } from '../ledger/iso-time.ts'
import { answer, commit, refusal } from '../ledger/ledger.ts'
import { activeKeysPerApplication, longest, revokedKeysPerApplication } from '../ledger/limits.ts'
import { everyRow, get, list, many, one, put } from '../ledger/reads.ts'
import { ok, refuse } from '../ledger/refusal.ts'
import type { Read, Versioned, Where } from '../ports/store.ts'
import type { ApplicationDeps } from './deps.ts'
import { active, applicationOf, existing } from './load.ts'
import { applications } from './records.ts'

function keysOf(tenantId: string, applicationId: string): Read {
  const where: Where = [
    ['tenantId', '=', tenantId],
    ['applicationId', '=', applicationId],
  ]
  return list(applicationKeys, { where, take: everyRow })
}

export function listApplicationKeys({
  ledger,
}: ApplicationDeps): AccessUseCases['listApplicationKeys'] {
  return async (actor, applicationId) => {
    const member = authorizeMember(actor, 'readApplicationKeys')
    if (!member.ok) return member
    const { tenantId } = member.value
    const [foundApplication, foundKeys] = await ledger.read(tenantId, [
      applicationOf(tenantId, applicationId),
      keysOf(tenantId, applicationId),
    ])
    const application = existing(foundApplication)
    if (!application.ok) return application
    return ok(many(applicationKeys, foundKeys).map(({ row }) => applicationKeyView(row)))
  }
}

/** The value is in this answer and nowhere else. An application has at most 20 active keys and shows its last 100 revoked ones. */
export function createApplicationKey({
  ledger,
  random,
}: ApplicationDeps): AccessUseCases['createApplicationKey'] {
  return async (actor, applicationId, input) => {
    const member = authorizeMember(actor, 'manageApplicationKeys')
    if (!member.ok) return member
    const malformed = refuseErrors(checkName(input.label, '/label', longest.label))
    if (malformed) return malformed
    const value = newApplicationKey(random)
    return executeAs(ledger, actor, 'manageApplicationKeys', async (unit, { tenantId }) => {
      const { now, id, read } = unit
      const [found, foundKeys] = await read([
        applicationOf(tenantId, applicationId),
        keysOf(tenantId, applicationId),
      ])
      const application = active(found)
      if (!application.ok) return refusal(application)
      const keys = many(applicationKeys, foundKeys)
      const revoked = keys.filter(({ row }) => row.revokedAt !== null)
      const count = keys.length - revoked.length
      if (count >= activeKeysPerApplication)
        return refusal(
          refuse(
            'application_key_limit',
            `the application has ${count} active keys, expected fewer than ${activeKeysPerApplication}`,
          ),
        )
      const key: ApplicationKey = {
        tenantId,
        applicationId,
        keyId: id('key'),
        hash: hashApplicationKey(value),
        prefix: maskedApplicationKey(value),
        label: input.label.trim(),
        createdAt: now,
        createdBy: actorName(actor),
        revokedAt: null,
      }
      return commit(
        {
          // Written, not only checked: of two keys created at once, one must count the other.
          puts: [
            put(applications, application.value.row, application.value),
            put(applicationKeys, key, null),
          ],
          removes: oldest(revoked).map(({ row: { keyId }, version }) => ({
            in: applicationKeys.name,
            key: [tenantId, applicationId, keyId],
            version,
          })),
          appends: [
            audit(tenantId, {
              at: isoTime(now),
              actor: actorName(actor),
              action: 'application_key.created',
              subject: key.keyId,
              detail: { applicationId, prefix: key.prefix },
            }),
          ],
        },
        { ...applicationKeyView(key), value },
      )
    })
  }
}

/** The oldest revoked keys beyond the limit, to be removed; the audit log keeps their history. */
function oldest(
  revoked: readonly Versioned<ApplicationKey>[],
): readonly Versioned<ApplicationKey>[] {
  return [...revoked]
    .sort((a, b) => (a.row.revokedAt ?? 0) - (b.row.revokedAt ?? 0))
    .slice(0, Math.max(0, revoked.length - revokedKeysPerApplication))
}

/** Revokes a key for good; idempotent. */
export function revokeApplicationKey({
  ledger,
}: ApplicationDeps): AccessUseCases['revokeApplicationKey'] {
  return (actor, applicationId, keyId) =>
    executeAs(ledger, actor, 'manageApplicationKeys', async ({ now, read }, { tenantId }) => {
      const [found] = await read([get(applicationKeys, [tenantId, applicationId, keyId])])
      const was = one(applicationKeys, found)
      if (!was) return refusal(refuse('not_found', 'no such application key'))
      if (was.row.revokedAt !== null) return answer(applicationKeyView(was.row))
      const key = { ...was.row, revokedAt: now }
      return commit(
        {
          puts: [put(applicationKeys, key, was)],
          appends: [
            audit(tenantId, {
              at: isoTime(now),
              actor: actorName(actor),
              action: 'application_key.revoked',
              subject: keyId,
              detail: { applicationId, prefix: key.prefix },
            }),
          ],
        },
        applicationKeyView(key),
      )
    })
}
