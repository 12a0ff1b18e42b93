import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { normalizedUrl, sameUrl, urlFault } from '../../../kernel/ledger/endpoint-url.ts'
import { killsMutants } from '../../outbox/mutants.ts'

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

test('what a person may try after a 410 is the same endpoint', () => {
  const gone = 'https://localhost:18446/gone'
  for (const other of [
    'https://localhost.:18446/gone',
    'https://localhost:018446/gone',
    'https://localhost:18446/./gone',
    'https://localhost:18446/a/../gone',
    'https://localhost:18446\\gone',
    'https://local\u00adhost:18446/gone',
    'https://ｌocalhost:18446/gone',
    'https://localhost:18446/%67one',
    'https://localhost:18446/gone?',
    'https://localhost:18446/%2e/gone',
  ]) {
    assert.equal(urlFault(other), null, other)
    assert.ok(sameUrl(gone, other), other)
  }
})

type Spelling = (url: string, seed: number) => string

const hostOf = /^(https:\/\/)([^/\\:?#]+)(:\d+)?/i
const inHost =
  (change: (host: string) => string): Spelling =>
  (url) =>
    url.replace(hostOf, (_, scheme, host, port = '') => `${scheme}${change(host)}${port}`)
/** Changes one letter of the path, or nothing. */
const letter =
  (seed: number, change: (char: string) => string): Spelling =>
  (url) => {
    const path = 8 + url.slice(8).search(/[/\\]/)
    const at = path + 1 + (seed % Math.max(1, url.length - path - 1))
    const char = url[at] ?? ''
    return /[a-z]/.test(char) && url[at - 1] !== '%' && url[at - 2] !== '%'
      ? url.slice(0, at) + change(char) + url.slice(at + 1)
      : url
  }

/** Each leads where the URL led; the URL standard or RFC 3986 says so. */
const spellings: Readonly<Record<string, Spelling>> = {
  'host in capitals': inHost((host) => host.toUpperCase()),
  'scheme in capitals': (url) => url.replace('https', 'HTTPS'),
  'final dot': inHost((host) => (host.endsWith('.') ? host : `${host}.`)),
  'soft hyphen': (url, seed) => {
    const at = 8 + 1 + (seed % 3)
    return `${url.slice(0, at)}\u00ad${url.slice(at)}`
  },
  'full width': inHost((host) =>
    host.replace(/^[a-z]/, (first) => String.fromCharCode(first.charCodeAt(0) + 0xfee0)),
  ),
  'zeros before the port': (url) => url.replace(/^(https:\/\/[^/\\]*:)(\d)/i, '$10$2'),
  'a dot segment': (url) => url.replace(/^(https:\/\/[^/\\]*)[/\\]/i, '$1/./'),
  'a double dot segment': (url) => url.replace(/^(https:\/\/[^/\\]*)[/\\]/i, '$1/x/../'),
  'an encoded dot segment': (url) => url.replace(/^(https:\/\/[^/\\]*)[/\\]/i, '$1/%2E/'),
  'a backslash': (url) => url.replace(/^(https:\/\/[^/\\]*)[/\\]/i, '$1\\'),
  'a letter encoded': (url, seed) =>
    letter(seed, (char) => `%${char.charCodeAt(0).toString(16)}`)(url, seed),
  'an empty query': (url) => (url.includes('?') || url.includes('#') ? url : `${url}?`),
  'a fragment': (url) => (url.includes('#') ? url : `${url}#x`),
}

const label = fc.stringMatching(/^[a-z]{4,8}$/)
const urls = fc
  .tuple(
    fc.array(label, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('', ':443', ':8443', ':18446'),
    fc.array(label, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('', '?q=1', '?q=a%2Fb'),
  )
  .map(([host, port, path, query]) => `https://${host.join('.')}${port}/${path.join('/')}${query}`)
/** Each leads elsewhere. */
const elsewhere: readonly ((url: string) => string)[] = [
  (url) => `${url}${url.includes('?') ? '&' : '?'}z=1`,
  (url) => url.replace(/^(https:\/\/[^/]*)/, '$1/z'),
  (url) => url.replace('//', '//z.'),
  (url) => `${url}%2F`,
]
const changes = fc.array(fc.tuple(fc.constantFrom(...Object.keys(spellings)), fc.nat(1_000)), {
  minLength: 1,
  maxLength: 5,
})

test('however one endpoint is spelled it is normalized to one URL, and another is to another', () => {
  const property = (normalize: typeof normalizedUrl) =>
    fc.assert(
      fc.property(urls, fc.constantFrom(...elsewhere), changes, (url, move, how) => {
        let spelled = url
        for (const [name, seed] of how) {
          const next = spellings[name]?.(spelled, seed) ?? spelled
          // A change may need what an earlier one took away.
          if (urlFault(next) === null) spelled = next
        }
        assert.equal(normalize(spelled), normalize(url), spelled)
        assert.equal(normalize(normalize(url)), normalize(url), 'a normalized URL stays')
        assert.notEqual(normalize(spelled), normalize(move(url)))
        assert.equal(urlFault(normalize(url)), null)
      }),
      { numRuns: 1_500 },
    )
  killsMutants(property, normalizedUrl, {
    'the URL as it is given': (url) => url,
    "the parser's spelling alone": (url) => new URL(url).href,
    'final dots stay': (url) => (new URL(url).hostname.endsWith('.') ? url : normalizedUrl(url)),
    'encodings stay': (url) => (url.includes('%6') ? url : normalizedUrl(url)),
    'the query is left out': (url) => normalizedUrl(url).replace(/\?.*/, ''),
    'the path is left out': (url) => `${new URL(normalizedUrl(url)).origin}/`,
  })
})
