import { actorName } from '../kernel/callers/actor.ts'
import { activeKeysPerApplication } from '../kernel/ledger/limits.ts'
import { listOf, object } from '../kernel/members.ts'
import { command, reading } from '../kernel/operation.ts'
import { pageIfAny, pageOfWhole, place } from '../kernel/page.ts'
import { orNotFound } from '../kernel/query.ts'
import {
  hashApplicationKey,
  maskedApplicationKey,
  newApplicationKey,
} from '../organizations/api-keys/application-key.ts'
import {
  type ApplicationKey,
  applicationKeyShape,
  applicationKeys,
  applicationKeyView,
  newApplicationKeyShape,
  shownApplicationKey,
} from '../organizations/api-keys/key-records.ts'
import { activeApplication, existingApplication } from './load.ts'
import { outdated } from './outdated-keys.ts'
import { applications } from './records.ts'

const { applicationId, keyId, label } = shownApplicationKey

/** The keys of an application, of which the revoked ones are few. */
export const listApplicationKeys = reading({
  name: 'applicationKeys.list',
  doc: 'List keys of an application, without their values',
  right: 'readApplicationKeys',
  takes: { applicationId, ...pageIfAny },
  gives: object({ applicationKeys: listOf(applicationKeyShape), ...place }, 'ApplicationKeys'),
  refuses: ['not_found'],
  async run({ ask, by: { tenantId } }, { applicationId, ...asked }) {
    const { keys } = await ask({
      application: existingApplication(tenantId, applicationId),
      keys: applicationKeys.by('key', { tenantId, applicationId }),
    })
    const { items, place } = pageOfWhole(keys.rows, asked)
    return { applicationKeys: items.map(({ row }) => applicationKeyView(row)), ...place }
  },
})

/**
 * Creates a key; the answer alone shows its value. An application has at most 20 active keys and shows its last 100
 * revoked ones.
 */
export const createApplicationKey = command({
  name: 'applicationKeys.create',
  doc: 'Create a key and show its value once',
  right: 'manageApplicationKeys',
  takes: { applicationId, label },
  gives: newApplicationKeyShape,
  refuses: ['not_found', 'application_gone', 'application_key_limit'],
  async run(unit, { applicationId, label }) {
    const { tenantId } = unit.by
    const { application, keys } = await unit.ask({
      application: activeApplication(tenantId, applicationId),
      keys: applicationKeys.by('key', { tenantId, applicationId }),
    })
    const count = keys.rows.filter(({ row }) => row.revokedAt === null).length
    if (count >= activeKeysPerApplication)
      unit.refuse(
        'application_key_limit',
        `the application has ${count} active keys, expected fewer than ${activeKeysPerApplication}`,
      )
    const value = newApplicationKey(unit.random)
    const key: ApplicationKey = {
      tenantId,
      applicationId,
      keyId: unit.id('key'),
      hash: hashApplicationKey(value),
      prefix: maskedApplicationKey(value),
      label,
      createdAt: unit.now,
      createdBy: actorName(unit.by),
      revokedAt: null,
    }
    // Written, not only checked: of two keys created concurrently, one must count the other.
    unit.put(applications, application.row, application)
    unit.put(applicationKeys, key)
    for (const was of outdated(keys.rows)) unit.remove(applicationKeys, was)
    unit.audit('application_key.created', key.keyId, { applicationId, prefix: key.prefix })
    return { ...applicationKeyView(key), value }
  },
})

/** Revokes a key for good; a revoked key stays as it is. */
export const revokeApplicationKey = command({
  name: 'applicationKeys.revoke',
  doc: 'Revoke a key for good',
  right: 'manageApplicationKeys',
  takes: { applicationId, keyId },
  gives: applicationKeyShape,
  refuses: ['not_found'],
  async run(unit, { applicationId, keyId }) {
    const { was } = await unit.ask({
      was: orNotFound(
        applicationKeys.get(unit.by.tenantId, applicationId, keyId),
        'application key',
      ),
    })
    if (was.row.revokedAt !== null) return applicationKeyView(was.row)
    const key = { ...was.row, revokedAt: unit.now }
    unit.put(applicationKeys, key, was)
    unit.audit('application_key.revoked', keyId, { applicationId, prefix: key.prefix })
    return applicationKeyView(key)
  },
})

/** Keys of applications (interface, Portal host). */
export const applicationKeyOperations = [
  listApplicationKeys,
  createApplicationKey,
  revokeApplicationKey,
] as const
