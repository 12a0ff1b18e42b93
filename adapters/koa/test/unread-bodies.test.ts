import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { StoreError } from '@countersign/core/ports'
import { seededRandom } from '@countersign/core/testing'
import {
  createApp,
  type Host,
  hosts,
  ingestRouter,
  portalRouter,
  type Route,
  routes,
  sessionCookie,
  staffRouter,
  takeTurns,
} from '../index.ts'
import { droppedRest } from '../unread-body.ts'
import { type Cast, openCast } from './cast.ts'
import { keyOf } from './requests.ts'
import { type Application, openWorld, type World } from './world.ts'

/** A hundred chunks of one byte, in chunked transfer coding. */
const drip = '1\r\n \r\n'.repeat(100)
/** What one connection may bring before it is closed: some reads, and not what its sender has. */
const mostBytes = 256 * 1024
/** The same while what follows a 413 is dropped. */
const most = droppedRest.bytes + 4 * 1024 * 1024

interface Heard {
  readonly status: number
  readonly text: string
  readonly closed: boolean
  /** Bytes that the server has read of the connection. */
  readonly read: number
}

/** The three routers behind listeners that tell what they read of each connection. */
async function openListeners(world: World) {
  const { options } = world
  const servers: Server[] = []
  const accepted = new Map<number | undefined, Socket>()
  async function serve(router: ReturnType<typeof portalRouter>): Promise<number> {
    const common = { random: seededRandom(11), observer: options.observer, trustedProxies: 1 }
    const answer = createApp(router, common).callback()
    const server = createServer(takeTurns((request, response) => void answer(request, response)))
    server.on('connection', (socket) => accepted.set(socket.remotePort, socket))
    // Nothing but the bounds under test closes a connection.
    server.keepAliveTimeout = 0
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  }
  const ports: Readonly<Record<Host, number>> = {
    ingest: await serve(ingestRouter(options)),
    portal: await serve(portalRouter(options)),
    staff: await serve(staffRouter(options)),
  }
  let sent = 0

  /** Sends a head and a body that never ends, until the connection is closed or far too much of it was read. */
  async function pour(
    host: Host,
    lines: readonly string[],
    { piece = drip, most = mostBytes } = {},
  ): Promise<Heard> {
    const socket = connect(ports[host], '127.0.0.1')
    let [text, closed] = ['', false]
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk
    })
    socket
      .on('error', () => {})
      .on('close', () => {
        closed = true
      })
    await new Promise((resolve) => socket.once('connect', resolve))
    const port = socket.localPort
    // One who fails to log in delays no other.
    const from = `X-Forwarded-For: 198.51.${sent >> 8}.${sent++ % 256}`
    socket.write([...lines, 'Host: a', from, '', ''].join('\r\n'))
    const read = () => accepted.get(port)?.bytesRead ?? 0
    while (!closed && read() <= most) {
      if (socket.writableLength < piece.length) socket.write(piece)
      await new Promise(setImmediate)
    }
    socket.destroy()
    const status = Number(/^HTTP\/1\.1 (\d+) /.exec(text)?.[1] ?? 0)
    const heard = { status, text, closed, read: read() }
    accepted.delete(port)
    return heard
  }

  const close = () =>
    Promise.all(
      servers.map((server) => {
        server.closeAllConnections()
        return new Promise((resolve) => server.close(resolve))
      }),
    )
  return { pour, close, ports }
}

const json = 'Content-Type: application/json'
const chunked = 'Transfer-Encoding: chunked'
const lineOf = ({ method, path }: Pick<Route, 'method' | 'path'>) =>
  `${method} ${path.replace(/:\w+/g, 'x')} HTTP/1.1`

/** The line of a credential that a route takes, with the keys of an application. */
function credential(
  { home, staff }: World,
  { auth }: Route,
  app: Application = home.app,
): readonly string[] {
  switch (auth) {
    case 'none':
      return []
    case 'member':
      return [`Cookie: ${sessionCookie.name}=${home.admin.cookie}`]
    case 'application':
      return [`X-API-Key: ${app.key}`]
    case 'customerKey':
      return [`X-API-Key: ${app.ingest.key}`]
    case 'staff':
      return [`Authorization: Bearer ${staff.token}`]
  }
}

/** A kind of refusal: the head that meets it on a route, null where it can't. */
type Kind = (row: Route, world: Cast) => readonly string[] | null

const kinds: Readonly<Record<string, Kind>> = {
  'no such path (404)': ({ method, path }) => [lineOf({ method, path: `/v0${path}` }), chunked],
  'no such method (405)': ({ path }) => [`PATCH ${path.replace(/:\w+/g, 'x')} HTTP/1.1`, chunked],
  'a URL that is none (400)': ({ method }) => [`${method} http://[::bad/ HTTP/1.1`, chunked],
  'nobody (401)': (row) => (row.auth === 'none' ? null : [lineOf(row), json, chunked]),
  'another site (403)': (row, world) =>
    row.auth !== 'member'
      ? null
      : [
          lineOf(row),
          ...credential(world, row),
          json,
          'Origin: https://elsewhere.example',
          chunked,
        ],
  'a key of another kind (403)': (row, world) =>
    row.host !== 'ingest' || row.auth === 'none'
      ? null
      : [
          lineOf(row),
          `X-API-Key: ${row.auth === 'application' ? world.home.app.ingest.key : world.home.app.key}`,
          json,
          chunked,
        ],
  'an application that is deleted (410)': (row, world) =>
    row.host !== 'ingest' || row.auth === 'none'
      ? null
      : [lineOf(row), ...credential(world, row, world.leaving), json, chunked],
  'no type that it answers (406)': (row, world) => [
    lineOf(row),
    ...credential(world, row),
    json,
    'Accept: image/none',
    chunked,
  ],
  'no type that it reads (415)': (row, world) =>
    row.body.types.length === 0
      ? null
      : [lineOf(row), ...credential(world, row), 'Content-Type: text/none', chunked],
  'no encoding that it reads (415)': (row, world) =>
    row.body.types.length === 0
      ? null
      : [lineOf(row), ...credential(world, row), json, 'Content-Encoding: none', chunked],
  'a declared length over the limit (413)': (row, world) =>
    // What follows the 413 of a backend's key is dropped for a while.
    row.body.types.length === 0 || row.auth === 'customerKey'
      ? null
      : [lineOf(row), ...credential(world, row), json, 'Content-Length: 1000000000'],
  'a body that is not asked for': (row, world) =>
    row.body.types.length > 0 ? null : [lineOf(row), ...credential(world, row), chunked],
}

describe('a body that nobody reads', () => {
  let world: Cast
  let listeners: Awaited<ReturnType<typeof openListeners>>
  before(async () => {
    world = await openCast()
    listeners = await openListeners(world)
  })
  after(async () => {
    await listeners.close()
    await world.close()
  })

  function judge(what: string, { status, closed, read }: Heard): void {
    assert.ok(closed && read <= mostBytes, `${what}: ${status}, and ${read} bytes were read on`)
  }

  for (const [kind, head] of Object.entries(kinds))
    test(`closes its connection on every route: ${kind}`, async () => {
      const statuses = new Set<number>()
      for (const row of routes) {
        const lines = head(row, world)
        if (!lines) continue
        const heard = await listeners.pour(row.host, lines)
        judge(`${keyOf(row)}, ${kind}`, heard)
        statuses.add(heard.status)
      }
      const expected = Number(/\((\d+)\)/.exec(kind)?.[1] ?? 200)
      assert.ok(statuses.has(expected), `only ${[...statuses]}`)
    })

  test('closes its connection on every route: the store is busy (503)', async () => {
    const { read } = world.store
    world.store.read = () => Promise.reject(new StoreError('busy', 'busy'))
    try {
      const statuses = new Set<number>()
      for (const row of routes) {
        const heard = await listeners.pour(row.host, [
          lineOf(row),
          ...credential(world, row),
          json,
          chunked,
        ])
        judge(keyOf(row), heard)
        statuses.add(heard.status)
      }
      assert.ok(statuses.has(503), `only ${[...statuses]}`)
    } finally {
      world.store.read = read
    }
  })
})

describe('what follows a 413', () => {
  let world: World
  let listeners: Awaited<ReturnType<typeof openListeners>>
  before(async () => {
    world = await openWorld()
    listeners = await openListeners(world)
  })
  after(async () => {
    await listeners.close()
    await world.close()
  })

  // A record that a path names is looked up before the body is read.
  const keyed = routes.filter(
    ({ auth, path, body }) =>
      auth === 'customerKey' && !path.includes(':') && body.types.length > 0,
  )
  const head = (row: Route, framing: string) => [
    lineOf(row),
    ...credential(world, row),
    json,
    framing,
  ]
  const declared = 'Content-Length: 1000000000'

  test('is dropped for so many bytes where a key is known, and then its connection closed', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    for (const row of keyed) {
      const piece = 'x'.repeat(256 * 1024)
      const heard = await listeners.pour(row.host, head(row, declared), { piece, most })
      const { text, closed, read } = heard
      assert.match(text, /^HTTP\/1\.1 413 [\s\S]*body_too_large/, keyOf(row))
      assert.ok(!/\nconnection: close/i.test(text), 'it says that it closes')
      assert.ok(closed, keyOf(row))
      assert.ok(read > droppedRest.bytes, `${keyOf(row)}: closed after ${read} bytes`)
    }
  })

  test('is dropped for so many bytes beyond the limit where no length was declared', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    for (const row of keyed) {
      const piece = `40000\r\n${'x'.repeat(256 * 1024)}\r\n`
      const all = row.body.limit + most
      const { text, closed, read } = await listeners.pour(row.host, head(row, chunked), {
        piece,
        most: all,
      })
      assert.match(text, /^HTTP\/1\.1 413 /, keyOf(row))
      assert.ok(closed && read > row.body.limit + droppedRest.bytes, `${keyOf(row)}: ${read} bytes`)
    }
  })

  test('is dropped to an end within the bounds, and the connection asks again', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    for (const row of keyed) {
      const socket = connect(listeners.ports.ingest, '127.0.0.1')
      let heard = ''
      socket.setEncoding('latin1').on('data', (piece) => {
        heard += piece
      })
      const size = row.body.limit + 1
      const first = [...head(row, chunked), 'Host: a', '', size.toString(16), 'x'.repeat(size)]
      socket.write(first.join('\r\n'))
      while (!heard.includes('body_too_large')) await once(socket, 'data')
      const again = [...head(row, 'Content-Length: 1'), 'Host: a', '', '!'].join('\r\n')
      socket.write(`\r\n10000\r\n${'x'.repeat(0x10000)}\r\n0\r\n\r\n${again}`)
      while (heard.split('HTTP/1.1').length < 3) await once(socket, 'data')
      socket.destroy()
      assert.match(heard, /^HTTP\/1\.1 413 [\s\S]*HTTP\/1\.1 400 /, keyOf(row))
    }
  })

  test('is dropped for so many chunks, however small', { timeout: 20_000 }, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    for (const row of keyed) {
      const endless = await listeners.pour(row.host, head(row, declared), { piece: 'x', most })
      assert.match(endless.text, /^HTTP\/1\.1 413 /, keyOf(row))
      assert.ok(endless.closed, keyOf(row))
      assert.ok(endless.read < 64 * 1024, `${keyOf(row)}: closed after ${endless.read} bytes`)
    }
  })

  test('is dropped for a second', { timeout: 20_000 }, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const [row] = keyed
    assert.ok(row)
    const socket = connect(listeners.ports.ingest, '127.0.0.1')
    let heard = ''
    socket.setEncoding('latin1').on('data', (chunk) => {
      heard += chunk
    })
    socket.on('error', () => {})
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.write([...head(row, declared), 'Host: a', '', 'x'].join('\r\n'))
    while (!heard.includes('body_too_large')) await new Promise(setImmediate)
    t.mock.timers.tick(droppedRest.ms - 1)
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    assert.equal(socket.destroyed, false)
    t.mock.timers.tick(1)
    await closed
  })
})

describe('a body that nobody reads, of a caller over the rate', () => {
  test('closes its connection on every route (429)', async () => {
    const world = await openWorld({ perMinute: 1, perMember: 0, perAddress: 0 })
    const listeners = await openListeners(world)
    try {
      const statuses = new Map<Host, Set<number>>(hosts.map((host) => [host, new Set()]))
      for (const row of routes) {
        const lines = [lineOf(row), ...credential(world, row), json, chunked]
        const heard = await listeners.pour(row.host, lines)
        assert.ok(heard.closed, `${keyOf(row)}: ${heard.status}, ${heard.read} bytes were read`)
        statuses.get(row.host)?.add(heard.status)
      }
      for (const [host, seen] of statuses) assert.ok(seen.has(429), `${host}: only ${[...seen]}`)
    } finally {
      await listeners.close()
      await world.close()
    }
  })
})
