import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeKeysPerApplication, revokedKeysPerApplication } from '../../kernel/ledger/limits.ts'
import { applicationKeys } from '../../organizations/api-keys/key-records.ts'
import { code, value } from '../organizations/access/fixture.ts'
import { withApplication } from './fixture.ts'

const input = { label: 'production' }

test('an application has so many active keys and no more, however many are made at once', async () => {
  const { adminActor, applicationKeys: keys, application, store } = await withApplication()
  const { applicationId } = application
  const make = () => keys.create(adminActor, { applicationId, ...input })
  const made: string[] = []
  while (made.length < activeKeysPerApplication + 5)
    made.push(...(await Promise.all(Array.from({ length: 5 }, async () => code(await make())))))
  assert.equal(made.filter((refusal) => refusal === 'ok').length, activeKeysPerApplication)
  assert.deepEqual(new Set(made), new Set(['ok', 'application_key_limit']))
  assert.equal(store.rows(applicationKeys).length, activeKeysPerApplication)
  const [first] = value(await keys.list(adminActor, { applicationId })).applicationKeys
  value(await keys.revoke(adminActor, { applicationId, keyId: first?.keyId ?? '' }))
  value(await make())
  assert.equal(code(await make()), 'application_key_limit')
})

test('rotation for ever leaves the last revoked keys in the list, and a removed key opens nothing', async () => {
  const { adminActor, applicationKeys: keys, application, access, clock } = await withApplication()
  const { applicationId } = application
  const revoked: string[] = []
  let oldest = ''
  for (let round = 0; round < revokedKeysPerApplication + 3; round++) {
    const made = value(await keys.create(adminActor, { applicationId, ...input }))
    oldest ||= made.value
    await clock.advance(1_000)
    value(await keys.revoke(adminActor, { applicationId, keyId: made.keyId }))
    revoked.push(made.keyId)
  }
  const last = value(await keys.create(adminActor, { applicationId, ...input }))
  const { applicationKeys: listed } = value(await keys.list(adminActor, { applicationId }))
  assert.deepEqual(
    listed.map(({ keyId }) => keyId),
    [...revoked.slice(-revokedKeysPerApplication), last.keyId],
  )
  assert.equal(code(await access.authenticateApplication(oldest)), 'authentication_required')
})
