import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { callbackSecretWipe } from '../../applications/callback-secret-wipe.ts'
import { callbackSecretContext } from '../../applications/records.ts'
import { silentObserver } from '../../base/ports/observer.ts'
import type { SealedSecret } from '../../kernel/sealing/shared-secret.ts'
import { createRunner } from '../../kernel/work/runner.ts'
import { code, start, value } from '../organizations/access/fixture.ts'
import { owingOn } from '../owing.ts'
import { move, stored, url, withApplication } from './fixture.ts'

describe('the outcome callback', () => {
  it('is signed with the key of the tenant unless asked otherwise', async () => {
    const fixture = await withApplication()
    const { applicationId } = fixture.application
    const callback = value(
      await fixture.applications.setOutcomeCallback(fixture.adminActor, {
        applicationId,
        url,
        enabled: true,
      }),
    )
    assert.deepEqual(callback, {
      url,
      enabled: true,
      signing: {
        method: 'ed25519',
        publicKey: `whpk_of_${fixture.tenantId}`,
        hasSecret: false,
        previousSecretValidUntil: null,
      },
      gone: false,
      updatedAt: new Date(start).toISOString(),
    })
    assert.deepEqual(
      value(await fixture.applications.read(fixture.reviewerActor, { applicationId }))
        .outcomeCallback,
      callback,
    )
    assert.equal((await fixture.audited()).at(-1)?.action, 'application.outcome_callback_set')
  })

  it('shows its shared secret once, keeps it over a later save, and stores it sealed in its place', async () => {
    const fixture = await withApplication()
    const { applicationId } = fixture.application
    const save = async (input: { url?: string; method?: 'ed25519' | 'shared_secret' }) =>
      value(
        await fixture.applications.setOutcomeCallback(fixture.adminActor, {
          applicationId,
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
      previousSecretValidUntil: null,
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
        await fixture.applications.setOutcomeCallback(fixture.adminActor, {
          applicationId,
          url,
          enabled: true,
        }),
      )
    await save()
    const { outcomeCallback } = await stored(fixture, applicationId)
    assert.ok(outcomeCallback)
    await move(fixture, applicationId, { outcomeCallback: { ...outcomeCallback, gone: true } })
    const gone = value(await fixture.applications.read(fixture.adminActor, { applicationId }))
    assert.equal(gone.outcomeCallback?.gone, true)
    assert.equal((await save()).gone, false)
  })

  it('is refused for a URL that may not be sent to, and nothing is written', async () => {
    const fixture = await withApplication()
    const { applicationId } = fixture.application
    const refused = await fixture.applications.setOutcomeCallback(fixture.adminActor, {
      applicationId,
      url: 'https://private.example/',
      enabled: true,
    })
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
      'app.example',
    ]) {
      const refused = await fixture.applications.setOutcomeCallback(fixture.adminActor, {
        applicationId,
        url: bad,
        enabled: true,
      })
      assert.equal(code(refused), 'invalid_url', bad)
      assert.equal(!refused.ok && refused.refusal.errors?.[0]?.pointer, '/url')
    }
    const long = await fixture.applications.setOutcomeCallback(fixture.adminActor, {
      applicationId,
      url: `https://app.example/${'x'.repeat(2_048)}`,
      enabled: true,
    })
    assert.equal(code(long), 'invalid_request')
    assert.equal(!long.ok && long.refusal.errors?.[0]?.pointer, '/url')
    assert.equal((await stored(fixture, applicationId)).outcomeCallback, null)
  })

  it('is set by an admin, of an active application', async () => {
    const fixture = await withApplication()
    const { applicationId } = fixture.application
    const input = { url, enabled: true }
    assert.equal(
      code(
        await fixture.applications.setOutcomeCallback(fixture.reviewerActor, {
          applicationId,
          ...input,
        }),
      ),
      'forbidden',
    )
    await move(fixture, applicationId, { lifecycleState: 'pending_deletion' })
    assert.equal(
      code(
        await fixture.applications.setOutcomeCallback(fixture.adminActor, {
          applicationId,
          ...input,
        }),
      ),
      'application_gone',
    )
  })

  it('rotates its secret again within 24 h only where that is forced, which drops the oldest', async () => {
    const fixture = await withApplication()
    const { adminActor, applications, application } = fixture
    const { applicationId } = application
    const rotate = (input: { force?: boolean } = {}) =>
      applications.rotateCallbackSecret(adminActor, { applicationId, ...input })
    const signing = { method: 'shared_secret' } as const
    const input = { applicationId, url, enabled: true, signing }
    value(await applications.setOutcomeCallback(adminActor, input))
    const second = value(await rotate()).signing.secret
    assert.equal(code(await rotate()), 'already_rotating')
    assert.equal(code(await rotate({ force: false })), 'already_rotating')
    const third = value(await rotate({ force: true })).signing.secret
    const { outcomeCallback } = await stored(fixture, applicationId)
    const secrets = [outcomeCallback?.previousSecret, outcomeCallback?.secret].map(
      (secret) => secret && secretIn(fixture, applicationId, secret),
    )
    assert.deepEqual(secrets, [second, third])
  })

  it('never takes a version for a secret twice, whatever is saved and removed in between', async () => {
    const act = fc.constantFrom('shared_secret', 'ed25519', 'remove', 'rotate')
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 8 }), async (acts) => {
        const fixture = await withApplication()
        const { adminActor, applications, application } = fixture
        const { applicationId } = application
        const secrets = new Map<number, string>()
        for (const method of acts) {
          if (method === 'remove') {
            const removed = await applications.removeOutcomeCallback(adminActor, { applicationId })
            if (!removed.ok) assert.equal(code(removed), 'callback_not_configured')
            continue
          }
          const done =
            method === 'rotate'
              ? await applications.rotateCallbackSecret(adminActor, { applicationId, force: true })
              : await applications.setOutcomeCallback(adminActor, {
                  applicationId,
                  ...{ url, enabled: true },
                  signing: { method },
                })
          const { outcomeCallback } = await stored(fixture, applicationId)
          const previous = outcomeCallback?.previousSecret
          if (previous)
            assert.equal(secretIn(fixture, applicationId, previous), secrets.get(previous.version))
          if (!done.ok || done.value.signing.secret === undefined) continue
          const { signing } = done.value
          const version = outcomeCallback?.secret?.version ?? 0
          assert.ok(!secrets.has(version), `version ${version} twice`)
          secrets.set(version, signing.secret ?? '')
        }
      }),
      { numRuns: 30 },
    )
  })

  it('is removed with its secret by an admin, of an active application, once', async () => {
    const fixture = await withApplication()
    const { adminActor, reviewerActor, applications, application } = fixture
    const { applicationId } = application
    const remove = (actor = adminActor) =>
      applications.removeOutcomeCallback(actor, { applicationId })
    assert.equal(code(await remove()), 'callback_not_configured')
    const input = { url, enabled: true, signing: { method: 'shared_secret' } } as const
    value(await applications.setOutcomeCallback(adminActor, { applicationId, ...input }))
    const before = value(await applications.read(adminActor, { applicationId }))
    assert.equal(code(await remove(reviewerActor)), 'forbidden')
    await move(fixture, applicationId, { lifecycleState: 'pending_deletion' })
    assert.equal(code(await remove()), 'application_gone')
    await move(fixture, applicationId, { lifecycleState: 'active' })

    const after = value(await remove())
    assert.deepEqual(
      [after.outcomeCallback, after.version, before.version],
      [null, (before.version ?? 0) + 1, before.version],
    )
    assert.deepEqual(value(await applications.read(adminActor, { applicationId })), after)
    assert.equal((await stored(fixture, applicationId)).outcomeCallback, null)
    const entry = (await fixture.audited()).at(-1)
    assert.equal(entry?.action, 'application.outcome_callback_removed')
    assert.deepEqual(Object.keys(entry?.detail ?? {}).sort(), ['method', 'origin', 'restSha256'])
    assert.equal(code(await remove()), 'callback_not_configured')
  })

  it('rotates its shared secret for an admin, of an active application, and is audited without it', async () => {
    const fixture = await withApplication()
    const { adminActor, reviewerActor, applications, application } = fixture
    const { applicationId } = application
    const rotate = (actor = adminActor) =>
      applications.rotateCallbackSecret(actor, { applicationId })
    const save = (method: 'ed25519' | 'shared_secret') =>
      applications.setOutcomeCallback(adminActor, {
        applicationId,
        ...{ url, enabled: true },
        signing: { method },
      })
    assert.equal(code(await rotate()), 'callback_not_configured')
    value(await save('ed25519'))
    assert.equal(code(await rotate()), 'not_shared_secret')
    const first = value(await save('shared_secret')).signing.secret ?? ''
    assert.equal(code(await rotate(reviewerActor)), 'forbidden')
    await move(fixture, applicationId, { lifecycleState: 'pending_deletion' })
    assert.equal(code(await rotate()), 'application_gone')
    await move(fixture, applicationId, { lifecycleState: 'active' })

    const before = value(await applications.read(adminActor, { applicationId }))
    const { secret = '', ...signing } = value(await rotate()).signing
    assert.ok(secret !== '' && secret !== first)
    const validUntil = new Date(start + 24 * 3_600_000).toISOString()
    assert.deepEqual(signing, {
      method: 'shared_secret',
      publicKey: null,
      hasSecret: true,
      previousSecretValidUntil: validUntil,
    })
    const read = value(await applications.read(adminActor, { applicationId }))
    assert.deepEqual(
      [read.outcomeCallback?.signing, read.version],
      [signing, (before.version ?? 0) + 1],
    )
    const refused = await rotate()
    assert.equal(code(refused), 'already_rotating')
    assert.equal(!refused.ok && refused.refusal.retryAfter, 24 * 3_600)
    const entry = (await fixture.audited()).at(-1)
    assert.equal(entry?.action, 'application.outcome_callback_secret_rotated')
    assert.deepEqual(Object.keys(entry?.detail ?? {}).sort(), ['force', 'origin', 'restSha256'])
  })

  for (const how of ['work', 'save'] as const)
    it(`wipes the previous secret when it has ended, by ${how}, and none that a forced rotation made later`, async () => {
      const fixture = await withApplication()
      const { adminActor, applications, application, clock } = fixture
      const { applicationId } = application
      const input = { url, enabled: true, signing: { method: 'shared_secret' } } as const
      const save = () => applications.setOutcomeCallback(adminActor, { applicationId, ...input })
      const runner = runnerOf(fixture)
      const previous = async () => {
        if (how === 'work') await runner.tick()
        else value(await save())
        return (await stored(fixture, applicationId)).outcomeCallback?.previousSecret ?? null
      }
      value(await save())
      value(await applications.rotateCallbackSecret(adminActor, { applicationId }))
      await clock.advance(3_600_000)
      value(await applications.rotateCallbackSecret(adminActor, { applicationId, force: true }))
      await clock.advance(24 * 3_600_000 - 1)
      assert.equal((await previous())?.version, 2)
      const { version } = value(await applications.read(adminActor, { applicationId }))
      await clock.advance(1)
      assert.equal(await previous(), null)
      const after = value(await applications.read(adminActor, { applicationId }))
      assert.equal(after.outcomeCallback?.signing.previousSecretValidUntil, null)
      assert.equal(after.version, (version ?? 0) + 1)
    })
})

/** A stored secret in clear text. */
function secretIn(
  { sealer, tenantId }: Awaited<ReturnType<typeof withApplication>>,
  applicationId: string,
  { sealed, version }: SealedSecret,
): string {
  const context = callbackSecretContext(tenantId, applicationId, version)
  return new TextDecoder().decode(sealer.open(sealed, context))
}

const runnerOf = ({ ledger, clock }: Awaited<ReturnType<typeof withApplication>>) =>
  createRunner({
    ledger,
    clock,
    observer: silentObserver,
    handlers: [callbackSecretWipe],
    owing: owingOn(ledger),
    options: { owner: 'runner' },
  })
