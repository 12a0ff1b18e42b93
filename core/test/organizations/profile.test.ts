import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { tenants } from '@countersign/core/access'
import { isCountry } from '../../organizations/countries.ts'
import { code, value } from './access/fixture.ts'
import { createFixture } from './fixture.ts'

const profile = {
  organizationName: 'Acme Holding',
  contactEmail: 'office@acme.example',
  country: 'AT',
  timezone: 'Europe/Vienna',
}

describe('the profile', () => {
  it("begins with the tenant's name and its first admin's address", async () => {
    const { service, rob } = await createFixture()
    assert.deepEqual(value(await service.profile.read(rob, {})), {
      organizationName: 'Acme',
      contactEmail: 'ada@acme.example',
      country: null,
      timezone: null,
      updatedAt: '2026-01-01T00:00:00.000Z',
    })
  })

  it('is replaced whole, and is the name that the tenant has', async () => {
    const { service, ada, clock, store, audited } = await createFixture()
    clock.jump(60_000)
    const saved = value(await service.profile.update(ada, profile))
    assert.deepEqual(saved, { ...profile, updatedAt: '2026-01-01T00:01:00.000Z' })
    assert.equal(store.rows(tenants)[0]?.row.name, 'Acme Holding')
    clock.jump(60_000)
    assert.deepEqual(value(await service.profile.update(ada, profile)), saved)
    const { organizationName, contactEmail } = profile
    const less = await service.profile.update(ada, { organizationName, contactEmail })
    assert.deepEqual([value(less).country, value(less).timezone], [null, null])
    const told = (await audited()).filter(({ action }) => action === 'profile.updated')
    assert.deepEqual(
      told.map(({ detail }) => detail),
      [
        { changed: 'organizationName, contactEmail, country, timezone' },
        { changed: 'country, timezone' },
      ],
    )
  })

  it('is changed by admins alone, and to what there is', async () => {
    const { service, ada, rob } = await createFixture()
    assert.equal(code(await service.profile.update(rob, profile)), 'forbidden')
    const wrong = [
      { organizationName: ' ' },
      { organizationName: 'two\nlines' },
      { contactEmail: 'nobody' },
      { country: 'de' },
      { country: 'EU' },
      { country: 'DEU' },
      { timezone: 'Mars/Olympus' },
      { timezone: '+01:00' },
      { timezone: '' },
    ]
    for (const each of wrong) {
      const refused = await service.profile.update(ada, { ...profile, ...each })
      assert.equal(code(refused), 'invalid_request', JSON.stringify(each))
    }
    for (const timezone of ['UTC', 'America/Argentina/Ushuaia', 'Etc/GMT+3'])
      value(await service.profile.update(ada, { ...profile, timezone }))
  })
})

describe('countries', () => {
  it('are the 249 of ISO 3166-1, all known to the runtime', () => {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
    const codes = letters.flatMap((a) => letters.map((b) => a + b)).filter(isCountry)
    assert.equal(codes.length, 249)
    const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
    assert.deepEqual(
      codes.filter((each) => names.of(each) === undefined),
      [],
    )
    // Reserved, withdrawn and made up.
    for (const each of ['AN', 'CS', 'EU', 'FX', 'SU', 'UK', 'UN', 'XK', 'YU', 'ZZ', '', 'D', 'DEU'])
      assert.equal(isCountry(each), false, each)
  })
})
