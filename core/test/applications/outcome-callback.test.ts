import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { saveCallback } from '../../applications/outcome-callback.ts'
import { callbackSecretContext, type OutcomeCallback } from '../../applications/records.ts'
import { code, start, value } from '../access/fixture.ts'
import { move, stored, url, withApplication } from './fixture.ts'

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

  it('is checked as the URL of a webhook is, before anything is asked of its host', async () => {
    const fixture = await withApplication()
    const { applicationId } = fixture.application
    for (const bad of [
      'http://app.example/outcome',
      'https://user:word@app.example/',
      'https://app.example/a b',
      'https://app.example/\u0000',
      'https://app.example:99999/',
      `https://app.example/${'x'.repeat(2_048)}`,
      'app.example',
    ]) {
      const refused = await fixture.applications.setOutcomeCallback(
        fixture.adminActor,
        applicationId,
        { url: bad, enabled: true },
      )
      assert.equal(code(refused), 'invalid_url', bad)
      assert.equal(!refused.ok && refused.refusal.errors?.[0]?.pointer, '/url')
    }
    assert.equal((await stored(fixture, applicationId)).outcomeCallback, null)
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
