import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { collections, createService, logs, RefusedError, unwrap } from '@countersign/core'
import { createMemoryBlobs, createMemoryStore } from '@countersign/core/testing'
import { type NodePortsOptions, nodePorts } from '@countersign/node'

const memoryStore = () => createMemoryStore({ collections, logs })
const given = (): NodePortsOptions => ({
  store: memoryStore(),
  blobs: createMemoryBlobs(),
  masterKey: new Uint8Array(32).fill(1),
  sessionSecret: new Uint8Array(32).fill(2),
  portalUrl: 'https://portal.example.com',
})

describe('nodePorts', () => {
  it('makes every port that a service needs', async () => {
    const service = createService({ ingestUrl: 'https://i.example.com', ports: nodePorts(given()) })
    const admin = { name: 'Ada', email: 'ada@acme.example', password: 'correct horse battery' }
    const { tenant } = unwrap(
      await service.tenants.create({ kind: 'system' }, { name: 'Acme', admin }),
    )
    assert.equal(tenant.name, 'Acme')
    await service.close()
  })

  it('closes the store last, once the service has drained', async () => {
    const told: string[] = []
    const { store, ...rest } = given()
    const watched = {
      ...store,
      claim: (...args: Parameters<typeof store.claim>) => {
        told.push('claim')
        return store.claim(...args)
      },
      close: async () => {
        told.push('close')
      },
    }
    const ports = nodePorts({ ...rest, store: watched })
    const service = createService({ ingestUrl: 'https://i.example.com', ports })
    service.start()
    await service.close({ withinMs: 0 })
    assert.equal(told.at(-1), 'close')
    assert.equal(told.filter((each) => each === 'close').length, 1)
  })

  it('lets the process end, with threads too', () => {
    const program = `
      import { collections, createService, logs } from '@countersign/core'
      import { createMemoryBlobs, createMemoryStore } from '@countersign/core/testing'
      import { nodePorts } from '@countersign/node'
      const bytes = new Uint8Array(32)
      const store = createMemoryStore({ collections, logs })
      const ports = nodePorts({ store, blobs: createMemoryBlobs(), masterKey: bytes, sessionSecret: bytes, portalUrl: 'https://p.example', threads: true })
      const service = createService({ ingestUrl: 'https://i.example', ports })
      service.start()
      await service.close()
      console.log('closed')
    `
    const { stdout, status, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module', '--eval', program],
      { encoding: 'utf8', timeout: 60_000 },
    )
    assert.deepEqual([stdout, status], ['closed\n', 0], stderr)
  })

  for (const [name, wrong] of [
    ['store', undefined],
    ['blobs', undefined],
    ['masterKey', 'secret'],
    ['masterKey', undefined],
    ['sessionSecret', null],
    ['portalUrl', 'https://portal.example.com/'],
  ] as const)
    it(`names the option ${name} when it is ${String(wrong)}, without its value`, () => {
      const options = { ...given(), [name]: wrong } as NodePortsOptions
      assert.throws(
        () => nodePorts(options),
        (error: Error) =>
          error instanceof TypeError &&
          error.message.includes(name) &&
          !error.message.includes('secret '),
      )
    })
})

describe('unwrap', () => {
  it('returns a value, and throws a refusal with its code', () => {
    assert.equal(unwrap({ ok: true, value: 1 }), 1)
    const refusal = { code: 'not_found', detail: 'no such case' } as const
    assert.throws(
      () => unwrap({ ok: false, refusal }),
      (error) => error instanceof RefusedError && error.refusal === refusal,
    )
  })
})
