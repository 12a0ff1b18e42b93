import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Actor, type Member, members } from '@countersign/core/access'
import { get, one, put, type Result } from '@countersign/core/ledger'
import { active, applicationOf, existing } from '../../applications/load.ts'
import { saveCallback } from '../../applications/outcome-callback.ts'
import {
  type Application,
  applications,
  callbackSecretContext,
  type OutcomeCallback,
} from '../../applications/records.ts'
import type { LifecycleState } from '../../applications/view.ts'
import {
  code,
  createFixture,
  type Fixture,
  password,
  start,
  system,
  value,
} from '../access/fixture.ts'

const url = 'https://app.example/outcomes'
const page = { page: 1, pageSize: 20 }

async function withApplication() {
  const fixture = await createFixture()
  const admin = await fixture.actorOf('ada@acme.example')
  const reviewer = await fixture.actorOf('rob@acme.example')
  const application = value(await fixture.applications.create(admin, { name: 'Claims' }))
  return { ...fixture, adminActor: admin, reviewerActor: reviewer, application }
}

async function stored({ store, tenantId }: Fixture, applicationId: string): Promise<Application> {
  const [found] = await store.read(tenantId, [applicationOf(tenantId, applicationId)])
  return value(existing(found)).row
}

async function move(
  { store, tenantId }: Fixture,
  applicationId: string,
  changes: Partial<Application>,
): Promise<void> {
  const [found] = await store.read(tenantId, [get(applications, [tenantId, applicationId])])
  const was = one(applications, found)
  assert.ok(was)
  const row = { ...was.row, ...changes }
  await store.commit({ tenant: tenantId, puts: [put(applications, row, was)] })
}

async function stranger(fixture: Fixture): Promise<Actor> {
  value(
    await fixture.access.createTenant(system, {
      name: 'Other',
      admin: { name: 'Eve', email: 'eve@other.example', password },
    }),
  )
  return fixture.actorOf('eve@other.example')
}

describe('applications', () => {
  it('are created by an admin and read by every member', async () => {
    const fixture = await withApplication()
    const { application } = fixture
    assert.deepEqual(application, {
      applicationId: application.applicationId,
      name: 'Claims',
      lifecycleState: 'active',
      createdAt: new Date(start).toISOString(),
      outcomeCallback: null,
    })
    for (const actor of [fixture.adminActor, fixture.reviewerActor])
      assert.deepEqual(
        value(await fixture.applications.read(actor, application.applicationId)),
        application,
      )
    assert.equal(
      code(await fixture.applications.create(fixture.reviewerActor, { name: 'X' })),
      'forbidden',
    )
    assert.equal((await fixture.audited()).at(-1)?.action, 'application.created')
  })

  it('are listed in pages, without those that are being deleted', async () => {
    const fixture = await withApplication()
    for (let made = 0; made < 4; made++)
      value(await fixture.applications.create(fixture.adminActor, { name: `App ${made}` }))
    await move(fixture, fixture.application.applicationId, { lifecycleState: 'pending_deletion' })
    const listed = async (number: number) =>
      value(await fixture.applications.list(fixture.reviewerActor, { page: number, pageSize: 3 }))
    const first = await listed(1)
    const second = await listed(2)
    assert.deepEqual([...first.items, ...second.items].map(({ name }) => name).sort(), [
      'App 0',
      'App 1',
      'App 2',
      'App 3',
    ])
    assert.deepEqual([first.totalCount, first.hasMore, second.hasMore], [4, true, false])
    assert.equal(
      value(await fixture.applications.read(fixture.adminActor, fixture.application.applicationId))
        .lifecycleState,
      'pending_deletion',
    )
  })

  it('of another tenant do not exist', async () => {
    const fixture = await withApplication()
    const eve = await stranger(fixture)
    const { applicationId } = fixture.application
    const callback = { url, enabled: true }
    const calls: readonly ((id: string) => Promise<Result<unknown>>)[] = [
      (id) => fixture.applications.read(eve, id),
      (id) => fixture.applications.setOutcomeCallback(eve, id, callback),
      (id) => fixture.keys.listApplicationKeys(eve, id),
      (id) => fixture.keys.createApplicationKey(eve, id, { label: 'x' }),
      (id) => fixture.keys.revokeApplicationKey(eve, id, 'key_x'),
    ]
    for (const call of calls) assert.deepEqual(await call(applicationId), await call('app_unknown'))
    assert.equal(value(await fixture.applications.list(eve, page)).totalCount, 0)
  })

  it('take data only while they are active', async () => {
    const fixture = await withApplication()
    const { applicationId } = fixture.application
    const expected: Readonly<Record<LifecycleState, string>> = {
      active: 'ok',
      pending_deletion: 'application_gone',
      purging: 'application_gone',
      purged: 'application_gone',
    }
    for (const lifecycleState of Object.keys(expected) as LifecycleState[]) {
      await move(fixture, applicationId, { lifecycleState })
      const [found] = await fixture.store.read(fixture.tenantId, [
        applicationOf(fixture.tenantId, applicationId),
      ])
      assert.equal(code(active(found)), expected[lifecycleState])
      assert.equal(code(existing(found)), 'ok')
    }
    assert.equal(code(active({ rows: [], total: null })), 'not_found')
  })

  it('have a name on one line', async () => {
    const fixture = await withApplication()
    for (const name of ['', '  ', 'a\u0000b', 'a\nb', 'x'.repeat(201), '\ud800'])
      assert.equal(
        code(await fixture.applications.create(fixture.adminActor, { name })),
        'invalid_request',
      )
  })
})

describe('a member who was suspended or demoted after signing in', () => {
  const changes: readonly (readonly [Partial<Member>, string])[] = [
    [{ status: 'Suspended' }, 'authentication_required'],
    [{ role: 'CustomerAuditor' }, 'forbidden'],
  ]
  for (const [change, refusal] of changes)
    it(`writes nothing: ${refusal}`, async () => {
      const fixture = await withApplication()
      const { store, tenantId, adminActor, applications, keys } = fixture
      const { applicationId } = fixture.application
      const { keyId } = value(
        await keys.createApplicationKey(adminActor, applicationId, { label: 'x' }),
      )
      const [found] = await store.read(tenantId, [get(members, [tenantId, adminActor.memberId])])
      const was = one(members, found)
      assert.ok(was)
      await store.commit({ tenant: tenantId, puts: [put(members, { ...was.row, ...change }, was)] })
      const before = await fixture.audited()
      for (const call of [
        applications.create(adminActor, { name: 'X' }),
        applications.setOutcomeCallback(adminActor, applicationId, { url, enabled: true }),
        keys.createApplicationKey(adminActor, applicationId, { label: 'y' }),
        keys.revokeApplicationKey(adminActor, applicationId, keyId),
      ])
        assert.equal(code(await call), refusal)
      assert.deepEqual(await fixture.audited(), before)
    })
})

describe('the outcome callback', () => {
  it('is signed with the key of the tenant unless asked otherwise', async () => {
    const fixture = await withApplication()
    const { applicationId } = fixture.application
    const callback = value(
      await fixture.applications.setOutcomeCallback(fixture.adminActor, applicationId, {
        url,
        enabled: true,
      }),
    )
    assert.deepEqual(callback, {
      url,
      enabled: true,
      signing: { method: 'ed25519', publicKey: `whpk_of_${fixture.tenantId}`, hasSecret: false },
      gone: false,
      updatedAt: new Date(start).toISOString(),
    })
    assert.deepEqual(
      value(await fixture.applications.read(fixture.reviewerActor, applicationId)).outcomeCallback,
      callback,
    )
    assert.equal((await fixture.audited()).at(-1)?.action, 'application.outcome_callback_set')
  })

  it('shows its shared secret once, keeps it over a later save, and stores it sealed in its place', async () => {
    const fixture = await withApplication()
    const { applicationId } = fixture.application
    const save = async (input: { url?: string; method?: 'ed25519' | 'shared_secret' }) =>
      value(
        await fixture.applications.setOutcomeCallback(fixture.adminActor, applicationId, {
          url: input.url ?? url,
          enabled: true,
          ...(input.method && { signing: { method: input.method } }),
        }),
      ).signing
    const first = await save({ method: 'shared_secret' })
    const secret = first.secret ?? ''
    assert.match(secret, /^whsec_[0-9A-Za-z+/]{43}=$/)
    assert.deepEqual(await save({ url: `${url}/2` }), {
      method: 'shared_secret',
      publicKey: null,
      hasSecret: true,
    })
    const record = (await stored(fixture, applicationId)).outcomeCallback
    assert.ok(record?.secret)
    const { sealed, version } = record.secret
    const context = callbackSecretContext(fixture.tenantId, applicationId, version)
    assert.equal(new TextDecoder().decode(fixture.sealer.open(sealed, context)), secret)
    for (const other of [
      callbackSecretContext(fixture.tenantId, applicationId, version + 1),
      callbackSecretContext(fixture.tenantId, 'app_other', version),
      callbackSecretContext('ten_other', applicationId, version),
    ])
      assert.throws(() => fixture.sealer.open(sealed, other))

    assert.equal((await save({ method: 'ed25519' })).hasSecret, false)
    assert.equal((await stored(fixture, applicationId)).outcomeCallback?.secret, null)
    const next = await save({ method: 'shared_secret' })
    assert.ok(next.secret && next.secret !== secret)
    assert.equal((await stored(fixture, applicationId)).outcomeCallback?.secret?.version, 2)
  })

  it('that answered 410 may be tried again once its URL is saved, be it the same', async () => {
    const fixture = await withApplication()
    const { applicationId } = fixture.application
    const save = async () =>
      value(
        await fixture.applications.setOutcomeCallback(fixture.adminActor, applicationId, {
          url,
          enabled: true,
        }),
      )
    await save()
    const { outcomeCallback } = await stored(fixture, applicationId)
    assert.ok(outcomeCallback)
    await move(fixture, applicationId, { outcomeCallback: { ...outcomeCallback, gone: true } })
    const gone = value(await fixture.applications.read(fixture.adminActor, applicationId))
    assert.equal(gone.outcomeCallback?.gone, true)
    assert.equal((await save()).gone, false)
  })

  it('is refused for a URL that may not be sent to, and nothing is written', async () => {
    const fixture = await withApplication()
    const { applicationId } = fixture.application
    const refused = await fixture.applications.setOutcomeCallback(
      fixture.adminActor,
      applicationId,
      {
        url: 'https://private.example/',
        enabled: true,
      },
    )
    assert.ok(!refused.ok)
    assert.equal(refused.refusal.code, 'refused_address')
    assert.equal(refused.refusal.errors?.[0]?.pointer, '/url')
    assert.equal((await stored(fixture, applicationId)).outcomeCallback, null)
    assert.equal((await fixture.audited()).at(-1)?.action, 'application.created')
  })

  it('is set by an admin, of an active application', async () => {
    const fixture = await withApplication()
    const { applicationId } = fixture.application
    const input = { url, enabled: true }
    assert.equal(
      code(
        await fixture.applications.setOutcomeCallback(fixture.reviewerActor, applicationId, input),
      ),
      'forbidden',
    )
    await move(fixture, applicationId, { lifecycleState: 'pending_deletion' })
    assert.equal(
      code(await fixture.applications.setOutcomeCallback(fixture.adminActor, applicationId, input)),
      'application_gone',
    )
  })

  it('never takes a version for a secret twice', () => {
    const versions: number[] = []
    let callback: OutcomeCallback | null = null
    const methods = [
      'shared_secret',
      'ed25519',
      'shared_secret',
      'ed25519',
      'shared_secret',
    ] as const
    for (const method of methods)
      ({ callback } = saveCallback(
        callback,
        { url, enabled: true, signing: { method } },
        {
          now: 0,
          seal: (version) => {
            versions.push(version)
            return { version, sealed: new Uint8Array() }
          },
        },
      ))
    assert.deepEqual(versions, [1, 2, 3])
  })
})

describe('application keys', () => {
  it('open the door until they are revoked, and are shown once', async () => {
    const fixture = await withApplication()
    const { adminActor, keys, access, tenantId } = fixture
    const { applicationId } = fixture.application
    const created = value(
      await keys.createApplicationKey(adminActor, applicationId, { label: 'production' }),
    )
    const { value: key = '', ...shown } = created
    assert.deepEqual(value(await access.authenticateApplication(key)), {
      kind: 'application',
      tenantId,
      applicationId,
      keyId: created.keyId,
    })
    const listed = value(await keys.listApplicationKeys(adminActor, applicationId))
    assert.deepEqual(listed, [shown])
    assert.equal(shown.prefix, key.slice(0, 12))
    assert.equal(shown.createdBy, `member:${fixture.admin.memberId}`)

    const revoked = value(await keys.revokeApplicationKey(adminActor, applicationId, created.keyId))
    assert.equal(revoked.status, 'Revoked')
    assert.equal(code(await access.authenticateApplication(key)), 'authentication_required')
    assert.deepEqual(
      value(await keys.revokeApplicationKey(adminActor, applicationId, created.keyId)),
      revoked,
    )
    assert.deepEqual((await fixture.audited()).map(({ action }) => action).slice(-2), [
      'application_key.created',
      'application_key.revoked',
    ])
  })

  it('are nowhere in the store', async () => {
    const fixture = await withApplication()
    const { value: key = '' } = value(
      await fixture.keys.createApplicationKey(
        fixture.adminActor,
        fixture.application.applicationId,
        { label: 'production' },
      ),
    )
    const dump = JSON.stringify([
      await fixture.store.read(null, [
        {
          list: 'applicationKeys',
          where: [],
          by: 'key',
          newest: false,
          skip: 0,
          take: 9,
          count: false,
        },
      ]),
      await fixture.audited(),
    ])
    assert.ok(!dump.includes(key.slice(12, 40)))
  })

  it('that are malformed are refused before the store is read', async () => {
    const fixture = await withApplication()
    const reads = fixture.counts.reads
    const { access } = fixture
    const { value: key = '' } = value(
      await fixture.keys.createApplicationKey(
        fixture.adminActor,
        fixture.application.applicationId,
        { label: 'x' },
      ),
    )
    for (const wrong of ['', 'x', key.slice(0, -1), `${key.slice(0, -1)}!`, key.toUpperCase()])
      assert.equal(code(await access.authenticateApplication(wrong)), 'authentication_required')
    assert.equal(fixture.counts.reads, reads)
    assert.equal(code(await access.authenticateApplication(key)), 'ok')
    assert.equal(fixture.counts.reads, reads + 2)
  })

  it('are managed by an admin, and made for an active application', async () => {
    const fixture = await withApplication()
    const { reviewerActor, adminActor, keys } = fixture
    const { applicationId } = fixture.application
    const input = { label: 'x' }
    assert.equal(
      code(await keys.createApplicationKey(reviewerActor, applicationId, input)),
      'forbidden',
    )
    assert.equal(code(await keys.listApplicationKeys(reviewerActor, applicationId)), 'forbidden')
    assert.equal(
      code(await keys.revokeApplicationKey(reviewerActor, applicationId, 'k')),
      'forbidden',
    )
    assert.equal(
      code(await keys.createApplicationKey(adminActor, applicationId, { label: '' })),
      'invalid_request',
    )
    await move(fixture, applicationId, { lifecycleState: 'purging' })
    assert.equal(
      code(await keys.createApplicationKey(adminActor, applicationId, input)),
      'application_gone',
    )
  })

  it('of a suspended organization are 503', async () => {
    const fixture = await withApplication()
    const { value: key = '' } = value(
      await fixture.keys.createApplicationKey(
        fixture.adminActor,
        fixture.application.applicationId,
        { label: 'x' },
      ),
    )
    const [found] = await fixture.store.read(null, [{ get: 'tenants', key: [fixture.tenantId] }])
    const was = found?.rows[0]
    assert.ok(was)
    const row = { ...(was.row as object), status: 'suspended' }
    await fixture.store.commit({ tenant: null, puts: [{ in: 'tenants', row, was }] })
    assert.equal(code(await fixture.access.authenticateApplication(key)), 'account_suspended')
  })
})
