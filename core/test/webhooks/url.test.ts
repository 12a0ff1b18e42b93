import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sameUrl, urlFault } from '../../webhooks/url.ts'

test('one endpoint in other spellings is the same, another endpoint is not', () => {
  const url = 'https://a.example/hook?x=1'
  for (const same of ['https://A.Example/hook?x=1', 'HTTPS://a.example:443/hook?x=1', `${url}#f`])
    assert.ok(sameUrl(url, same), same)
  assert.ok(sameUrl('https://a.example', 'https://a.example/'))
  assert.ok(sameUrl('https://a.example?x', 'https://a.example/?x#y'))
  for (const other of [
    'https://a.example/Hook?x=1',
    'https://a.example/hook/?x=1',
    'https://a.example/hook?x=2',
    'https://a.example/hook',
    'https://a.example:8443/hook?x=1',
    'https://b.example/hook?x=1',
  ])
    assert.ok(!sameUrl(url, other), other)
})

test('whatever URL passes, the platform parses as https without user info', () => {
  const part = fc.string({ maxLength: 12 })
  fc.assert(
    fc.property(
      fc.oneof(
        fc.webUrl({ withFragments: true, withQueryParameters: true }),
        part.map((rest) => `https://${rest}`),
        fc.tuple(part, part).map(([user, host]) => `https://${user}@${host}`),
        part,
      ),
      (url) => {
        if (urlFault(url) !== null || !URL.canParse(url)) return
        const { protocol, username, password } = new URL(url)
        assert.deepEqual([protocol, username, password], ['https:', '', ''])
      },
    ),
    { numRuns: 2_000 },
  )
})
