import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { silentObserver } from '@countersign/core/ports'
import { seededRandom } from '@countersign/core/testing'
import Router from '@koa/router'
import { createApp } from '../index.ts'

/** Whom the app takes for the caller of a request that came with these entries. */
async function callerOf(trustedProxies: number | undefined, forwarded: string): Promise<string> {
  const router = new Router()
  router.get('/', (ctx) => {
    ctx.body = { ip: ctx.ip }
  })
  const answer = createApp(router, {
    random: seededRandom(1),
    observer: silentObserver,
    ...(trustedProxies === undefined ? {} : { trustedProxies }),
  }).callback()
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = server.address() as AddressInfo
    const headers = forwarded === '' ? {} : { 'x-forwarded-for': forwarded }
    const response = await fetch(`http://127.0.0.1:${port}/`, { headers })
    return ((await response.json()) as { readonly ip: string }).ip
  } finally {
    server.close()
  }
}

test('the caller is whom the outermost trusted proxy heard from, whatever the caller claims', async () => {
  const claims = '6.6.6.6, 7.7.7.7, 198.51.100.4, 10.0.0.1'
  assert.equal(await callerOf(undefined, claims), '127.0.0.1')
  assert.equal(await callerOf(0, claims), '127.0.0.1')
  assert.equal(await callerOf(1, claims), '10.0.0.1')
  assert.equal(await callerOf(2, claims), '198.51.100.4')
  assert.equal(await callerOf(1, ''), '127.0.0.1')
})

test('an entry counts without its port and brackets, and one that is no address not at all', async () => {
  for (const [entry, caller] of [
    ['198.51.100.4:49152', '198.51.100.4'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    [' 198.51.100.4 ', '198.51.100.4'],
    ['198.51.100.4:x', '127.0.0.1'],
    ['198.51.100.400', '127.0.0.1'],
    ['1.2.3.4.5:80', '127.0.0.1'],
    ['[198.51.100.4]:80', '127.0.0.1'],
    ['unknown', '127.0.0.1'],
    ['_hidden', '127.0.0.1'],
    ['198.51.100.4 evil', '127.0.0.1'],
    ['', '127.0.0.1'],
  ] as const)
    assert.equal(await callerOf(1, `10.9.9.9, ${entry}`), caller, entry)
})
