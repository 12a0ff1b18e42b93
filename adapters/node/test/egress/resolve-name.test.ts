import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { describe, it, type TestContext } from 'node:test'
import { dnsResolver, systemResolver } from '@countersign/node'

const types = { A: 1, CNAME: 5, AAAA: 28 } as const
type Type = keyof typeof types
type Zone = Readonly<Record<string, Partial<Record<Type, readonly (readonly number[] | string)[]>>>>

const encodeName = (name: string): number[] => [
  ...name.split('.').flatMap((label) => [label.length, ...Buffer.from(label)]),
  0,
]

/** Answers questions from a zone (RFC 1035), following aliases as a recursive name server does. */
async function nameServer(t: TestContext, zone: Zone) {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (query, from) => {
    const end = query.indexOf(0, 12)
    const labels: string[] = []
    for (let at = 12; at < end; at += 1 + (query[at] ?? 0))
      labels.push(query.subarray(at + 1, at + 1 + (query[at] ?? 0)).toString())
    const type = query.readUInt16BE(end + 1)
    const question = query.subarray(12, end + 5)
    asked.push(`${labels.join('.')} ${type}`)

    const records: number[][] = []
    const add = (name: string, kind: Type, data: readonly number[]) =>
      records.push([...encodeName(name), 0, types[kind], 0, 1, 0, 0, 0, 0, 0, data.length, ...data])
    let name = labels.join('.')
    for (
      let alias = zone[name]?.CNAME?.[0];
      typeof alias === 'string';
      alias = zone[name]?.CNAME?.[0]
    ) {
      add(name, 'CNAME', encodeName(alias))
      name = alias
    }
    const kind = type === types.A ? 'A' : 'AAAA'
    for (const data of zone[name]?.[kind] ?? []) if (typeof data !== 'string') add(name, kind, data)
    if (zone[name]?.A?.[0] === 'silence') return
    const header = Buffer.alloc(12)
    query.copy(header, 0, 0, 2)
    header.writeUInt16BE(zone[name] ? 0x8180 : 0x8183, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(records.length, 6)
    socket.send(
      Buffer.concat([header, question, Buffer.from(records.flat())]),
      from.port,
      from.address,
    )
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.after(() => socket.close())
  return { asked, resolve: dnsResolver({ servers: [`127.0.0.1:${socket.address().port}`] }) }
}

const v6 = (last: number) => [0x20, 1, 0x48, 0x60, ...new Array<number>(11).fill(0), last]

describe('the resolver', () => {
  it('tells every address of both families, IPv4 first', async (t) => {
    const { resolve } = await nameServer(t, {
      'both.example': {
        A: [
          [1, 1, 1, 1],
          [10, 0, 0, 1],
        ],
        AAAA: [v6(1)],
      },
    })
    assert.deepEqual(await resolve('both.example'), ['1.1.1.1', '10.0.0.1', '2001:4860::1'])
  })

  it('tells one family when the other has nothing', async (t) => {
    const { resolve } = await nameServer(t, {
      'four.example': { A: [[1, 1, 1, 1]] },
      'six.example': { AAAA: [v6(2)] },
    })
    assert.deepEqual(await resolve('four.example'), ['1.1.1.1'])
    assert.deepEqual(await resolve('six.example'), ['2001:4860::2'])
  })

  it('follows aliases to where they end', async (t) => {
    const { resolve } = await nameServer(t, {
      'a.example': { CNAME: ['b.example'] },
      'b.example': { CNAME: ['c.example'] },
      'c.example': { A: [[169, 254, 169, 254]] },
    })
    assert.deepEqual(await resolve('a.example'), ['169.254.169.254'])
  })

  it('tells all of many', async (t) => {
    const many = Array.from({ length: 24 }, (_, at) => [1, 1, 1, at])
    const { resolve } = await nameServer(t, { 'many.example': { A: many } })
    assert.equal((await resolve('many.example')).length, 24)
  })

  it('fails for a name that is not there or has no address', async (t) => {
    const { resolve } = await nameServer(t, { 'empty.example': {} })
    await assert.rejects(resolve('unknown.example'), { code: 'ENOTFOUND' })
    await assert.rejects(resolve('empty.example'), { code: 'ENODATA' })
  })

  it('asks each time, for both families, and keeps nothing', async (t) => {
    const { resolve, asked } = await nameServer(t, { 'x.example': { A: [[1, 1, 1, 1]] } })
    await resolve('x.example')
    await resolve('x.example')
    assert.deepEqual(asked.sort(), ['x.example 1', 'x.example 1', 'x.example 28', 'x.example 28'])
  })

  it('knows localhost without asking', async (t) => {
    const { resolve, asked } = await nameServer(t, {})
    for (const name of ['localhost', 'LOCALHOST', 'hook.localhost'])
      assert.deepEqual(await resolve(name), ['127.0.0.1', '::1'])
    assert.deepEqual(asked, [])
  })

  it('of the system reads the hosts file', async () => {
    const found = await systemResolver()('localhost')
    assert.ok(found.some((address) => address === '127.0.0.1' || address === '::1'))
  })
})
