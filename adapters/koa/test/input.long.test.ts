import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { longest } from '@countersign/core/ledger'
import fc from 'fast-check'
import { canBeId } from '../id-form.ts'
import { type Route, routes } from '../index.ts'
import { standardBody } from '../media.ts'
import { parseJson } from '../parse-json.ts'
import type { Answered, Asked } from './client.ts'
import { entitled, keyOf, pathOf, type Sample, sampleOf } from './requests.ts'
import { openWorld, type World } from './world.ts'

/** Parameters of queries that applications choose, as any line of text. */
const chosenIds = ['sessionId', 'checkpointId']

interface Fault {
  readonly code: string
  readonly pointer: string | null
  readonly parameter: string | null
}

const firstFault = (answer: Answered): Fault | undefined =>
  (answer.json.errors as readonly Fault[] | undefined)?.[0]

const json = { 'content-type': 'application/json' }
const half = '\ud800'

/** What is wrong with a body whatever the route; `at` is the pointer that the answer names. */
const wrongBodies: readonly {
  readonly name: string
  readonly headers?: Asked['headers']
  readonly body: (right: object, limit: number) => string | Uint8Array
  readonly status: number
  readonly code: string
  readonly at?: string
}[] = [
  { name: 'nothing but an opening brace', body: () => '{', status: 400, code: 'invalid_request' },
  { name: 'a comma too many', body: () => '{"a":1,}', status: 400, code: 'invalid_request' },
  {
    name: 'a number that JSON lacks',
    body: () => '{"a":NaN}',
    status: 400,
    code: 'invalid_request',
  },
  {
    name: 'bytes that are no UTF-8',
    body: () => Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d),
    status: 400,
    code: 'invalid_request',
  },
  { name: 'an array', body: () => '[]', status: 400, code: 'invalid_type', at: '' },
  { name: 'a string', body: () => '"x"', status: 400, code: 'invalid_type', at: '' },
  { name: 'null', body: () => 'null', status: 400, code: 'invalid_type', at: '' },
  {
    name: 'an unknown member',
    body: (right) => JSON.stringify({ ...right, 'sur/prise': 1 }),
    status: 400,
    code: 'unknown_member',
    at: '/sur~1prise',
  },
  ...['__proto__', 'constructor', 'prototype'].map((name) => ({
    name: `a member called ${name}`,
    body: (right: object) =>
      JSON.stringify({ ...right, x: { y: [{ proto: { admin: true } }] } }).replace(
        '"proto"',
        `"${name}"`,
      ),
    status: 400,
    code: 'invalid_value',
    at: `/x/y/0/${name}`,
  })),
  {
    name: 'half a surrogate pair in a value',
    body: (right) => JSON.stringify({ ...right, x: [half] }),
    status: 400,
    code: 'invalid_value',
    at: '/x/0',
  },
  {
    name: 'half a surrogate pair in a name',
    body: (right) => JSON.stringify({ ...right, x: { [half]: 1 } }),
    status: 400,
    code: 'invalid_value',
    at: '/x',
  },
  {
    name: '65 levels',
    body: (right) => JSON.stringify({ ...right, x: 0 }).replace('"x":0', `"x":${nested(64)}`),
    status: 400,
    code: 'invalid_value',
    at: `/x${'/0'.repeat(63)}`,
  },
  {
    name: 'as many levels as fit',
    body: (_, limit) => nested(limit / 2),
    status: 400,
    code: 'invalid_value',
  },
  {
    name: 'a member twice',
    body: (right) => JSON.stringify({ ...right, x: 0 }).replace('"x":0', '"x":{"a":1,"\\u0061":2}'),
    status: 400,
    code: 'duplicate_member',
    at: '/x/a',
  },
  {
    name: 'a whole number that no double holds',
    body: (right) => JSON.stringify({ ...right, x: 0 }).replace('"x":0', '"x":[9007199254740993]'),
    status: 400,
    code: 'invalid_value',
    at: '/x/0',
  },
  {
    name: 'one byte too many',
    body: (_, limit) => `{}${' '.repeat(limit - 1)}`,
    status: 413,
    code: 'body_too_large',
  },
  {
    name: 'chunks of one byte too many',
    headers: { ...json, 'transfer-encoding': 'chunked' },
    body: (_, limit) => `{}${' '.repeat(limit - 1)}`,
    status: 413,
    code: 'body_too_large',
  },
  {
    name: 'JSON that calls itself text',
    headers: { 'content-type': 'text/plain' },
    body: (right) => JSON.stringify(right),
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    name: 'a form',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: () => 'a=1',
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    name: 'no type',
    headers: {},
    body: (right) => JSON.stringify(right),
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    name: 'another charset',
    headers: { 'content-type': 'application/json; charset=utf-16' },
    body: (right) => JSON.stringify(right),
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    name: 'a compressed body',
    headers: { ...json, 'content-encoding': 'gzip' },
    body: (right) => JSON.stringify(right),
    status: 415,
    code: 'unsupported_media_type',
  },
]

/** Payloads of ingest may have members that we don't know, and come in gzip. */
const takenByIngest = ['an unknown member', 'a compressed body']

const oddTexts = ['', '\0', 'a\0b', '\r\n\x1b[2J', '\u2028', 'x'.repeat(50_000), '{{7*7}}']

function nested(levels: number): string {
  return `${'['.repeat(levels)}${']'.repeat(levels)}`
}

/** Values of every JSON type that differs from the right value's. */
function otherTypes(right: unknown): readonly unknown[] {
  const kind = Array.isArray(right) ? 'array' : typeof right
  return [
    ['string', 'x'],
    ['number', 7],
    ['boolean', true],
    ['array', []],
    ['object', { x: 1 }],
  ].flatMap(([type, other]) => (type === kind ? [] : [other]))
}

describe('input that is not as it should be is told where, and nothing is written', () => {
  let world: World
  let aside: World
  before(async () => {
    world = await openWorld()
    aside = await openWorld()
  })
  after(() => Promise.all([world.close(), aside.close()]))

  async function refused(
    row: Route,
    sample: Sample,
    asked: Partial<Asked>,
    expected: { readonly status: number; readonly code?: string; readonly at?: string },
    what: string,
  ): Promise<Answered> {
    const { host, method } = row
    const as = entitled(sample, world)
    const untouched = world.contents()
    const answer = await world.call({ host, method, path: pathOf(row, sample), as, ...asked })
    assert.equal(answer.status, expected.status, `${what}: ${answer.text}`)
    if (expected.code) assert.equal(firstFault(answer)?.code, expected.code, what)
    if (expected.at !== undefined) assert.equal(firstFault(answer)?.pointer, expected.at, what)
    assert.equal(world.contents(), untouched, `${what}: something was written`)
    assert.deepEqual(world.incidents, [], what)
    return answer
  }

  for (const row of routes.filter(({ body }) => body.input)) {
    test(`${keyOf(row)}: bodies`, async () => {
      const sample = await sampleOf(row, world)
      for (const { name, headers = json, body, ...expected } of wrongBodies) {
        const isIngest = row.path.startsWith('/v1/ingest/')
        if (takenByIngest.includes(name) && isIngest) continue
        await refused(
          row,
          sample,
          { headers, body: body(sample.body ?? {}, row.body.limit) },
          // What is read in slices is told by the slice, such as a step.
          isIngest && expected.status === 400 ? { status: 400 } : expected,
          name,
        )
      }
    })

    test(`${keyOf(row)}: members`, async () => {
      const sample = await sampleOf(row, world)
      const { body = {}, optional = {}, anything = [] } = sample
      const whole = { ...body, ...optional }
      for (const [name, right] of Object.entries(whole)) {
        const at = `/${name}`
        if (name in body) {
          const { [name]: _, ...rest } = whole
          await refused(row, sample, { body: rest }, { status: 400, code: 'required', at }, at)
        }
        if (anything.includes(name)) continue
        for (const other of otherTypes(right)) {
          const what = `${name} as ${JSON.stringify(other)}`
          const answer = await refused(
            row,
            sample,
            { body: { ...whole, [name]: other } },
            { status: 400 },
            what,
          )
          assert.ok(firstFault(answer)?.pointer?.startsWith(at), `${what}: ${answer.text}`)
        }
      }
    })

    test(`${keyOf(row)}: text that breaks stores and logs does not break this one`, async () => {
      // Some of it is well; what that writes stays out of the others' world.
      const sample = await sampleOf(row, aside)
      const whole = { ...sample.body, ...sample.optional }
      const { host, method } = row
      for (const [name, right] of Object.entries(whole)) {
        if (typeof right !== 'string') continue
        for (const odd of oddTexts) {
          const answer = await aside.call({
            host,
            method,
            path: pathOf(row, sample),
            as: entitled(sample, aside),
            body: { ...whole, [name]: odd },
          })
          const what = `${name} ${JSON.stringify(odd.slice(0, 9))}: ${answer.text}`
          assert.ok(answer.status < 500, what)
        }
      }
      assert.deepEqual(aside.incidents, [])
    })
  }

  for (const row of routes)
    test(`${keyOf(row)}: parameters`, async () => {
      const sample = await sampleOf(row, world)
      const ask = (more: string) => {
        const path = pathOf(row, sample, more)
        const expected = { status: 400 }
        return refused(
          row,
          sample,
          { path, ...(row.body.input && { body: sample.body }) },
          expected,
          more,
        )
      }
      const unknown = firstFault(await ask('surprise=1'))
      assert.deepEqual([unknown?.code, unknown?.parameter], ['unknown_member', 'surprise'])
      await ask('__proto__=1')
      if (sample.query) await ask(sample.query)
      for (const [name] of new URLSearchParams(sample.query))
        for (const odd of ['', '%00', 'a%00b', '%ED%A0%80', "'%20or%201=1", 'x'.repeat(5_000)]) {
          const what = `${name}=${odd.slice(0, 9)}`
          const given = new URLSearchParams(`value=${odd}`).get('value') ?? ''
          if (chosenIds.includes(name) && canBeId('sessionId', given)) continue
          const others = new URLSearchParams(sample.query)
          others.delete(name)
          const path = pathOf(row, { ...sample, query: `${name}=${odd}&${others}` })
          const answer = await refused(row, sample, { path }, { status: 400 }, what)
          assert.equal(firstFault(answer)?.parameter, name, what)
        }
      if (!sample.list) return
      for (const name of ['page', 'pageSize'])
        for (const value of ['0', '-1', '1.5', '1e1', '01', ' 1', '', 'x', '9'.repeat(20)]) {
          const answer = await ask(`${name}=${encodeURIComponent(value)}`)
          assert.equal(firstFault(answer)?.parameter, name, value)
        }
      assert.equal(firstFault(await ask('page=1&page=2'))?.parameter, 'page')
      assert.equal(firstFault(await ask('pageSize=101'))?.parameter, 'pageSize')
    })

  test('an id in a form that ours never have is as good as unknown', async () => {
    for (const row of routes.filter(({ path }) => path.includes(':'))) {
      const sample = await sampleOf(row, world)
      const as = entitled(sample, world)
      const untouched = world.contents()
      for (const odd of ['%00', '..', '%2e%2e%2f', "'%20or%201=1", '%E0%A4%A', 'x'.repeat(5_000)]) {
        const path = row.path.replace(/:\w+/g, odd)
        const { host, method } = row
        const body = row.body.input ? sample.body : undefined
        const answer = await world.call({ host, method, path, as, body })
        assert.equal(answer.status, 404, `${method} ${path.slice(0, 80)}: ${answer.text}`)
      }
      assert.equal(world.contents(), untouched)
      assert.deepEqual(world.incidents, [])
    }
  })

  test('an id of an application has as many characters in a path as in a body', () => {
    assert.ok(canBeId('sessionId', '😀'.repeat(longest.id)))
    assert.ok(!canBeId('sessionId', `${'😀'.repeat(longest.id)}x`))
  })

  test('lists come in pages, or whole where none is asked for', async () => {
    for (const row of routes) {
      const sample = await sampleOf(row, world)
      if (!sample.list) continue
      const { items, whole } = sample.list
      const { host, method } = row
      const as = host === 'staff' ? world.staff : world.home.admin
      const read = (more: string) =>
        world.call({ host, method, path: pathOf(row, sample, more), as })
      const all = await read('')
      const { page, pageSize, totalCount, hasMore } = all.json
      const held = all.json[items] as readonly unknown[]
      assert.ok(Array.isArray(held), keyOf(row))
      const more = !whole && Number(totalCount) > 20
      assert.deepEqual([page, pageSize, hasMore], [1, whole ? totalCount : 20, more], keyOf(row))
      const one = await read('page=1&pageSize=1')
      assert.deepEqual(one.json[items], held.slice(0, 1), keyOf(row))
      assert.deepEqual(
        [one.json.page, one.json.pageSize, one.json.totalCount, one.json.hasMore],
        [1, 1, totalCount, Number(totalCount) > 1],
        keyOf(row),
      )
      const beyond = await read('page=100&pageSize=100')
      assert.deepEqual([beyond.status, beyond.json[items], beyond.json.hasMore], [200, [], false])
    }
  })

  test('a URL is https and goes where it may', async () => {
    const row = routes.find(({ method, path }) => method === 'POST' && path === '/v1/webhooks')
    assert.ok(row)
    const sample = await sampleOf(row, world)
    for (const [url, code] of [
      ['http://hook.example/', 'invalid_url'],
      ['ftp://hook.example/', 'invalid_url'],
      ['https://user:pass@hook.example/', 'invalid_url'],
      ['/relative', 'invalid_url'],
      ['https://', 'invalid_url'],
      ['https://internal.example/', 'refused_address'],
    ] as const) {
      const body = { ...sample.body, url }
      const answer = await refused(row, sample, { body }, { status: 400, at: '/url' }, url)
      assert.ok([answer.json.code, firstFault(answer)?.code].includes(code), answer.text)
    }
  })
})

test('whatever JSON says, parsing answers, and what it lets through can be copied and sent', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 80 }), (text) => {
      const parsed = parseJson(Buffer.from(text))
      if (parsed.ok) assert.deepEqual(structuredClone(parsed.value), JSON.parse(text))
      else assert.match(parsed.refusal.code, /^invalid_/)
    }),
  )
})

test('a body of the largest size is judged quickly, whatever it holds', () => {
  const bodies = [
    `[${'0,'.repeat(standardBody / 2 - 2)}0]`,
    `[${'{},'.repeat(standardBody / 3 - 2)}0]`,
    `"${'a'.repeat(standardBody - 2)}"`,
    `["","${'\\\\'.repeat(standardBody / 2 - 10)}"]`,
    `["","${'\\"'.repeat(standardBody / 2 - 10)}"]`,
    `[${'"",'.repeat(standardBody / 3 - 10)}"\\n"]`,
    `[${'9'.repeat(standardBody - 2)}]`,
    `[0.${'0'.repeat(standardBody - 5)}1]`,
    nested(standardBody / 2),
  ]
  for (const body of bodies) {
    const before = process.cpuUsage()
    parseJson(Buffer.from(body))
    const { user, system } = process.cpuUsage(before)
    // Some 200 ms at most; the bound is for machines that are busy with other things.
    assert.ok(user + system < 2_000_000, `${user + system} µs for ${body.slice(0, 10)}…`)
  }
})
