import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { egressGuard } from '@countersign/node'

const publicAddress = '93.184.216.34'
const names: Readonly<Record<string, readonly string[]>> = {
  'public.example': [publicAddress, '2606:2800:220:1::1'],
  'private.example': ['10.0.0.1'],
  'mixed.example': [publicAddress, 'fd00::1'],
  'one-of-ten.example': [
    ...Array.from({ length: 9 }, (_, at) => `93.184.216.${at}`),
    '192.168.0.1',
  ],
  'many.example': Array.from({ length: 64 }, (_, at) => `93.184.216.${at}`),
  'flood.example': Array.from({ length: 257 }, (_, at) => `93.184.${at >> 8}.${at & 255}`),
  'empty.example': [],
}
const guard = egressGuard({
  resolve: async (hostname) => {
    const found = names[hostname]
    if (!found) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
    return found
  },
})
const verdict = async (url: string) => {
  const checked = await guard.check(url)
  return checked.ok ? 'ok' : checked.code
}

describe('the guard of registrations', () => {
  it('takes a name whose every address is public', async () => {
    assert.equal(await verdict('https://public.example/hook'), 'ok')
    assert.equal(await verdict('https://many.example/hook'), 'ok')
    assert.equal(await verdict(`https://${publicAddress}/hook`), 'ok')
  })

  it('refuses a name with one address that is not, whichever it is', async () => {
    for (const host of ['private.example', 'mixed.example', 'one-of-ten.example', 'flood.example'])
      assert.equal(await verdict(`https://${host}/`), 'refused_address', host)
  })

  it('refuses addresses without asking a name server', async () => {
    const silent = egressGuard({ resolve: async () => assert.fail('was asked') })
    for (const host of [
      '127.0.0.1',
      '2130706433',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '169.254.169.254',
    ])
      assert.deepEqual((await silent.check(`https://${host}/`)).ok, false, host)
  })

  it('tells a name without addresses from an internal one to operators alone', async () => {
    const names = ['unknown', 'empty', 'private', 'mixed', 'flood']
    const checked = await Promise.all(names.map((name) => guard.check(`https://${name}.example/`)))
    const told = checked.map((one) => (one.ok ? 'ok' : `${one.code}: ${one.detail}`))
    assert.equal(new Set(told).size, 1)
    assert.match(told[0] ?? '', /^refused_address: /)
    assert.deepEqual(
      checked.map((one) => !one.ok && one.operators?.error),
      ['dns', 'dns', 'refused_address', 'refused_address', 'refused_address'],
    )
  })

  it('refuses what is no https URL before it asks', async () => {
    assert.equal(await verdict('http://public.example/'), 'invalid_url')
    assert.equal(await verdict('https://public.example:22/'), 'invalid_url')
  })

  it('never says what an internal name resolves to', async () => {
    const checked = await guard.check('https://private.example/')
    assert.ok(!checked.ok)
    assert.ok(!checked.detail.includes('10.0.0.1'))
  })
})
