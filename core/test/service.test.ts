import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { collections, createService, logs } from '@countersign/core'
import { createManualClock, createMemoryStore, plainPorts } from '@countersign/core/testing'

function bench(ingestUrl = 'https://ingest.example') {
  const clock = createManualClock(Date.UTC(2026, 10, 21))
  const store = createMemoryStore({ collections, logs })
  const service = createService({
    ports: {
      ...plainPorts(),
      store,
      clock,
    },
    ingestUrl,
  })
  return { clock, store, service }
}

describe('the service', () => {
  it('drains within the time it is given, though nothing comes to its end', async () => {
    const { clock, store, service } = bench()
    store.lanes = () => new Promise(() => {})
    service.start()
    await clock.advance(0)
    let drained = false
    void service.drain(1_000).then(() => {
      drained = true
    })
    await clock.advance(999)
    assert.equal(drained, false)
    await clock.advance(1)
    assert.equal(drained, true)
  })

  it('takes no base of case URLs that would make them wrong', () => {
    for (const url of ['https://ingest.example/', 'ingest.example', 'https://', ''])
      assert.throws(() => bench(url), /expected an ingestUrl/, url)
  })

  it('has the groups that the README of the core lists', () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
    const [, rest = ''] = readme.split('| group | does |\n|---|---|\n')
    const [table = ''] = rest.split('\n\n')
    const listed = table.split('\n').flatMap((row) => {
      const [, names = ''] = row.split('|')
      return Array.from(names.matchAll(/`(\w+)`/g), ([, name]) => name)
    })
    const groups = Object.entries(bench().service).filter(([, group]) => typeof group === 'object')
    assert.deepEqual(new Set(listed), new Set(groups.map(([name]) => name)))
  })

  it('names the ports that are missing', () => {
    const { cipher: _, ...rest } = { ...plainPorts(), store: null, clock: createManualClock(0) }
    for (const [ports, missing] of [
      [{}, /: .*store, clock, random, primitives, transport, egress, sealer, cipher, blobs/],
      [undefined, /store, clock/],
      [rest, /none for store, .*cipher/],
    ] as const) {
      const options = { ports, ingestUrl: 'https://ingest.example' } as never
      assert.throws(() => createService(options), missing)
      assert.throws(() => createService(options), TypeError)
    }
  })
})
