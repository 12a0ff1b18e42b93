import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { authenticators } from '@countersign/node'
import { openAuthenticators } from '../authenticators.ts'
import { composeServer } from '../compose.ts'
import { ConfigError, readConfig, settings } from '../config.ts'
import { apiConnections } from '../connections.ts'
import { secretSettings } from '../secret-files.ts'
import { startSettings } from '../start-settings.ts'
import { attestationRoot } from './attestation-root.ts'

const key = Buffer.alloc(32, 7).toString('base64')
const complete = {
  COUNTERSIGN_DATABASE: 'countersign.sqlite',
  COUNTERSIGN_MASTER_KEY: key,
  COUNTERSIGN_SESSION_SECRET: key,
  COUNTERSIGN_INGEST_URL: 'https://ingest.example.com/',
  COUNTERSIGN_PORTAL_URL: 'https://portal.example.com',
}

function refused(environment: Record<string, string>): string {
  try {
    readConfig(environment)
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.message
  }
  return assert.fail('expected a ConfigError')
}

test('what is required suffices, and the rest has defaults', () => {
  const config = readConfig({ ...complete, PATH: '/usr/bin' })
  assert.equal(config.ingestUrl, 'https://ingest.example.com', 'without the slash at its end')
  assert.deepEqual(config.egress, { caFile: null, allowedSubnets: [], refusedPorts: [] })
  assert.equal(config.staffHost, '127.0.0.1')
  assert.equal(config.tls, null)
  assert.equal(config.trustedProxies, 0)
  assert.equal(config.masterKey.length, 32)
})

test('authenticators are enrolled for the host of the portal, or a parent domain of it', () => {
  assert.equal(readConfig(complete).rpId, 'portal.example.com')
  const parent = { ...complete, COUNTERSIGN_RP_ID: 'example.com' }
  assert.equal(readConfig(parent).rpId, 'example.com')
  for (const rpId of ['com', 'ple.com', 'Example.com', 'other.example.com', 'evil.example', ' '])
    assert.match(
      refused({ ...complete, COUNTERSIGN_RP_ID: rpId }),
      /COUNTERSIGN_RP_ID: expected portal\.example\.com, or a parent domain/,
    )
  const address = { COUNTERSIGN_PORTAL_URL: 'https://10.1.2.3', COUNTERSIGN_RP_ID: '2.3' }
  assert.match(refused({ ...complete, ...address }), /COUNTERSIGN_RP_ID/)
})

test('root certificates of models come from a file, whose faults the start names', () => {
  const directory = mkdtempSync(join(tmpdir(), 'countersign-roots-'))
  try {
    const file = join(directory, 'roots.json')
    assert.equal(readConfig(complete).attestationRootsFile, null)
    const given = { ...complete, COUNTERSIGN_ATTESTATION_ROOTS_FILE: file }
    assert.equal(readConfig(given).attestationRootsFile, file)
    assert.equal(openAuthenticators(null, authenticators).models?.size, 0)
    const open = (text: string) => () => {
      writeFileSync(file, text)
      return openAuthenticators(file, authenticators)
    }
    const named = /COUNTERSIGN_ATTESTATION_ROOTS_FILE/
    assert.throws(() => openAuthenticators(join(directory, 'none.json'), authenticators), named)
    const model = '2fc0579f-8113-47ea-b116-bb5a8db9202a'
    for (const wrong of ['', '[]', `{"${model}":"PEM"}`, `{"${model}":["PEM"]}`, '{"YubiKey":[]}'])
      assert.throws(open(wrong), named)
    const made = open(JSON.stringify({ [model]: [attestationRoot] }))()
    assert.deepEqual([...(made.models ?? [])], [model])
  } finally {
    rmSync(directory, { recursive: true })
  }
})

test('lists are read whole', () => {
  const config = readConfig({
    ...complete,
    COUNTERSIGN_EGRESS_ALLOWED_SUBNETS: '127.0.0.0/8, ::1/128',
    COUNTERSIGN_EGRESS_REFUSED_PORTS: '5432,6379',
  })
  assert.deepEqual(config.egress.allowedSubnets, ['127.0.0.0/8', '::1/128'])
  assert.deepEqual(config.egress.refusedPorts, [5432, 6379])
})

test('every problem is named at once, and no secret is repeated', () => {
  const { COUNTERSIGN_DATABASE: _, ...rest } = complete
  const message = refused({
    ...rest,
    COUNTERSIGN_MASTER_KEY: 'tooshort',
    COUNTERSIGN_INGEST_PORT: '70000',
    COUNTERSIGN_TYPO: '1',
  })
  assert.match(message, /COUNTERSIGN_DATABASE: is missing/)
  assert.match(message, /COUNTERSIGN_MASTER_KEY: expected 32 bytes in base64, got 8 characters/)
  assert.match(message, /COUNTERSIGN_INGEST_PORT: .*got "70000"/)
  assert.match(message, /COUNTERSIGN_TYPO: no such setting/)
  assert.doesNotMatch(message, /tooshort/)
})

test('a number is read out of digits alone: an empty setting turns nothing on', () => {
  for (const name of [
    'COUNTERSIGN_INGEST_PORT',
    'COUNTERSIGN_TEST_CLOCK_PORT',
    'COUNTERSIGN_DRAIN_MS',
    'COUNTERSIGN_TRUSTED_PROXIES',
    'COUNTERSIGN_RATE_PER_MINUTE',
    'COUNTERSIGN_WEBHOOKS_PER_TENANT',
    'COUNTERSIGN_MEMBER_RATE_PER_MINUTE',
    'COUNTERSIGN_ADDRESS_RATE_PER_MINUTE',
  ])
    for (const value of ['', ' ', '0x1', '1e1', '1.0', '-1'])
      assert.ok(
        refused({ ...complete, [name]: value }).includes(
          `${name}: expected a whole number, got ${JSON.stringify(value)}`,
        ),
        `${name}=${value}`,
      )
  assert.match(
    refused({ ...complete, COUNTERSIGN_EGRESS_REFUSED_PORTS: '5432,0x1' }),
    /COUNTERSIGN_EGRESS_REFUSED_PORTS: expected port numbers/,
  )
  const config = readConfig({ ...complete, COUNTERSIGN_DRAIN_MS: '0', COUNTERSIGN_STAFF_PORT: '9' })
  assert.deepEqual([config.drainMs, config.staffPort, config.testClockPort], [0, 9, null])
})

test('every secret may come from a file, and no other setting', () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-config-'))
  try {
    const files = {
      COUNTERSIGN_MASTER_KEY: `${key}\n`,
      COUNTERSIGN_PREVIOUS_MASTER_KEYS: `${key}\r\n`,
      COUNTERSIGN_SESSION_SECRET: key,
      COUNTERSIGN_STAFF_TOKENS: `ada:${'0'.repeat(64)}\n`,
      COUNTERSIGN_DATABASE_URL: 'postgres://ada:geheim@db/countersign\n',
    }
    assert.deepEqual(new Set(Object.keys(files)), secretSettings)
    const named = Object.entries(files).map(([name, text]) => {
      writeFileSync(join(folder, name), text)
      return [`${name}_FILE`, join(folder, name)] as const
    })
    const { COUNTERSIGN_INGEST_URL, COUNTERSIGN_PORTAL_URL } = complete
    const rest = { COUNTERSIGN_INGEST_URL, COUNTERSIGN_PORTAL_URL, COUNTERSIGN_BLOBS: 'blobs' }
    const config = readConfig({ ...rest, ...Object.fromEntries(named) })
    assert.deepEqual(config.masterKey, Buffer.alloc(32, 7))
    assert.deepEqual(config.previousMasterKeys, [config.masterKey])
    assert.deepEqual(config.sessionSecret, config.masterKey)
    assert.deepEqual(config.staffTokens, [{ name: 'ada', sha256: '0'.repeat(64) }])
    assert.equal(config.databaseUrl, files.COUNTERSIGN_DATABASE_URL.trim())
    const [[name, file]] = named as [readonly [string, string]]
    assert.match(refused({ ...complete, [name]: file }), /_KEY_FILE: expected it or .*, got both/)
    const nowhere = { ...complete, COUNTERSIGN_STAFF_TOKENS_FILE: join(folder, 'nowhere') }
    assert.match(refused(nowhere), /COUNTERSIGN_STAFF_TOKENS_FILE: ENOENT/)
    assert.match(
      refused({ ...complete, COUNTERSIGN_HOST_FILE: file }),
      /_HOST_FILE: no such setting/,
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a key without its certificate is refused', () => {
  const message = refused({ ...complete, COUNTERSIGN_TLS_KEY_FILE: 'server.key' })
  assert.match(message, /go together/)
})

test('what a setting leads to is looked at before anything is opened, and told under its name', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-config-'))
  try {
    const COUNTERSIGN_DATABASE = join(folder, 'countersign.sqlite')
    const nowhere = join(folder, 'nowhere.pem')
    const tls = { COUNTERSIGN_TLS_KEY_FILE: nowhere, COUNTERSIGN_TLS_CERT_FILE: nowhere }
    for (const [settings, message] of [
      [{ COUNTERSIGN_EGRESS_ALLOWED_SUBNETS: '10.0.0.0' }, /_ALLOWED_SUBNETS: expected a block/],
      [{ COUNTERSIGN_EGRESS_CA_FILE: nowhere }, /_EGRESS_CA_FILE: ENOENT.*nowhere\.pem/],
      [tls, /_TLS_KEY_FILE: ENOENT.*nowhere\.pem/],
      [{ COUNTERSIGN_DATABASE: join(nowhere, 'a.sqlite') }, /_DATABASE: ENOENT.*nowhere\.pem/],
    ] as const) {
      const config = readConfig({ ...complete, COUNTERSIGN_DATABASE, ...settings })
      await assert.rejects(composeServer(config), (error) => {
        assert.ok(error instanceof ConfigError)
        assert.match(error.message, message)
        return true
      })
      assert.equal(existsSync(COUNTERSIGN_DATABASE), false)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

/** The README's rows: the default beside each name. */
function tableOf(readme: string): ReadonlyMap<string, string> {
  const rows = [...readme.matchAll(/^\| (`COUNTERSIGN_[^|]*) \|.*\| ([^|]*) \|$/gm)]
  return new Map(
    rows.flatMap(([, names = '', defaults = '']) => {
      const all = [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)
      const each = defaults.split(', ')
      return all.map(
        (name, at) => [name, (each.length === all.length && each[at]) || defaults] as const,
      )
    }),
  )
}

/** What the table gets wrong. */
function faultsOf(table: ReadonlyMap<string, string>): readonly string[] {
  const known = new Map<string, unknown>(Object.entries(startSettings))
  for (const [name, schema] of Object.entries(settings.shape)) {
    const absent = schema.safeParse(undefined)
    known.set(name, absent.success ? absent.data : 'required')
  }
  return [
    ...[...known.keys()].filter((name) => !table.has(name)),
    ...[...table.keys()].filter((name) => !known.has(name)),
    ...[...known].flatMap(([name, value]) => {
      const shown = table.get(name)?.replaceAll('`', '') ?? ''
      const expected = Array.isArray(value) ? (value.length === 0 ? 'none' : 'all') : value
      const optional = expected === undefined
      return (optional ? shown !== 'required' : shown === String(expected))
        ? []
        : [`${name}: ${shown}, expected ${String(expected)}`]
    }),
  ]
}

test('the README has every setting with its default, and no other', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  assert.deepEqual(faultsOf(tableOf(readme)), [])
  for (const [right, wrong] of [
    ['| `COUNTERSIGN_DRAIN_MS` |', '| `COUNTERSIGN_DRAIN` |'],
    ['| 12000 |', '| 9000 |'],
    ['| `.countersign` |', '| none |'],
  ] as const) {
    assert.ok(readme.includes(right), right)
    assert.notDeepEqual(faultsOf(tableOf(readme.replace(right, wrong))), [], wrong)
  }
})

test('roles are a list of what a process can do alone', () => {
  assert.deepEqual(readConfig(complete).roles, ['ingest', 'portal', 'staff', 'dispatch'])
  const given = { ...complete, COUNTERSIGN_ROLES: 'dispatch, ingest' }
  assert.deepEqual(readConfig(given).roles, ['ingest', 'dispatch'])
  for (const [value, expected] of [
    ['', /expected a list of ingest, portal, staff, dispatch/],
    ['ingest,worker', /expected a list of ingest, portal, staff, dispatch, got "ingest,worker"/],
  ] as const)
    assert.match(refused({ ...complete, COUNTERSIGN_ROLES: value }), expected)
})

test('staff tokens are names with hashes, which no error shows', () => {
  const [one, other] = ['a'.repeat(64), '0123456789abcdef'.repeat(4)]
  const setting = (text: string) => ({ ...complete, COUNTERSIGN_STAFF_TOKENS: text })
  assert.deepEqual(readConfig(complete).staffTokens, [])
  assert.deepEqual(readConfig(setting('')).staffTokens, [])
  assert.deepEqual(readConfig(setting(`ops:${one}, on-call_2:${other}`)).staffTokens, [
    { name: 'ops', sha256: one },
    { name: 'on-call_2', sha256: other },
  ])
  for (const [text, expected] of [
    ['secret-token', /expected NAME:HASH,… .*got 12 characters/],
    [`ops:${one.toUpperCase()}`, /expected NAME:HASH/],
    [`ops:${one}0`, /expected NAME:HASH/],
    [`:${one}`, /expected NAME:HASH/],
    [`the ops:${one}`, /expected NAME:HASH/],
    [`${'a'.repeat(101)}:${one}`, /expected NAME:HASH/],
    [`ops:${one},ops:${other}`, /expected each name once/],
    [`ops:${one},more:${one}`, /expected each token once/],
  ] as const) {
    const message = refused(setting(text))
    assert.match(message, expected)
    assert.equal(message.includes(text), false)
  }
})

test('connections leave descriptors for the rest', () => {
  assert.equal(apiConnections(10_000, null), 10_000)
  assert.equal(apiConnections(10_000, 1_000_000), 10_000)
  assert.equal(apiConnections(10_000, 1_024), 256)
  assert.equal(apiConnections(10_000, 100), 16)
  assert.equal(apiConnections(5, 100), 5)
})
