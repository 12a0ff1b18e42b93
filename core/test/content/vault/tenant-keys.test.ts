import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Service } from '@countersign/core'
import { auditLog, type Result } from '@countersign/core/ledger'
import { subjectKeys, tenantKeys } from '../../../content/vault/records.ts'
import {
  hour,
  memoryPorts,
  organization,
  processOn,
  readable,
  storeSession,
  value,
} from '../../removal/erasure/world.ts'

const system = { kind: 'system' } as const
const code = (result: Result<unknown>) => (result.ok ? 'ok' : result.refusal.code)

async function filled() {
  const ports = memoryPorts()
  const process = processOn(ports)
  const made = await organization(process.service)
  const { tenantId, first: applicationId } = made
  for (const subject of ['grace', 'alan', null])
    await storeSession(process, {
      ...{ tenantId, applicationId, sessionId: `of ${subject}`, subject },
      steps: [{ stepId: `step of ${subject}`, text: `text of ${subject}` }],
    })
  return { ...made, ports, texts: await readable(process, tenantId) }
}

/** What an operator does, however often it was begun and ended before. */
async function turn({ tenantKeys: keys }: Service, tenantId: string, from: number): Promise<void> {
  const { keyVersion, rotating } = value(await keys.read(system, { tenantId }))
  if (!rotating && keyVersion === from) value(await keys.rotate(system, { tenantId }))
  value(await keys.work(system))
}

function versionsOf({ store }: ReturnType<typeof memoryPorts>) {
  return {
    tenant: store.rows(tenantKeys).flatMap(({ row }) => row.keys.map(({ version }) => version)),
    subjects: [...new Set(store.rows(subjectKeys).map(({ row }) => row.keyVersion))],
  }
}

describe('the rotation of a tenant key over the service', () => {
  it('is begun by the operator and done where the service does not run', async () => {
    const { ports, tenantId, admin, application, texts } = await filled()
    const { service } = processOn(ports)
    const { rotate, read, work } = service.tenantKeys
    for (const actor of [admin, application])
      for (const refused of [
        await rotate(actor, { tenantId }),
        await read(actor, { tenantId }),
        await work(actor),
      ])
        assert.equal(code(refused), 'forbidden')
    assert.equal(code(await rotate(system, { tenantId: 'ten_other' })), 'not_found')
    assert.equal(code(await read(system, { tenantId: 'ten_other' })), 'not_found')
    assert.deepEqual(value(await read(system, { tenantId })), { keyVersion: 1, rotating: false })
    assert.deepEqual(value(await rotate(system, { tenantId })), { keyVersion: 2 })
    assert.equal(code(await rotate(system, { tenantId })), 'already_rotating')
    assert.deepEqual(value(await read(system, { tenantId })), { keyVersion: 2, rotating: true })
    value(await work(system))
    assert.deepEqual(value(await read(system, { tenantId })), { keyVersion: 2, rotating: false })
    assert.deepEqual(versionsOf(ports), { tenant: [2], subjects: [2] })
    assert.deepEqual(await readable(processOn(ports), tenantId), texts)
    const [log] = await ports.store.read(tenantId, [
      { log: auditLog.name, partition: tenantId, after: 0, take: 50 },
    ])
    const actions = (log?.rows ?? []).map(
      ({ row }) =>
        JSON.parse(new TextDecoder().decode((row as { entry: Uint8Array }).entry)).action,
    )
    assert.deepEqual(actions.slice(-2), ['tenant_key.rotation_started', 'tenant_key.rotated'])
  })

  for (const last of ['lost', 'done'] as const)
    it(`survives a kill at any of its writes, of which the last is ${last}`, async () => {
      let killed = 0
      for (let at = 1; ; at++) {
        const { ports, tenantId, texts } = await filled()
        let writes = 0
        let dead = false
        const mortal = async <T>(run: () => Promise<T>): Promise<T> => {
          if (!dead && ++writes < at) return run()
          if (!dead && last === 'done') await run()
          dead = true
          throw new Error('killed')
        }
        const { store } = ports
        const dying = processOn({
          ...ports,
          store: {
            ...store,
            commit: (set) => mortal(() => store.commit(set)),
            claim: (asked) => mortal(() => store.claim(asked)),
            scrub: () => mortal(() => store.scrub()),
          },
        })
        await turn(dying.service, tenantId, 1).catch(() => {})
        assert.deepEqual(await readable(processOn(ports), tenantId), texts, `killed at ${at}`)
        ports.clock.jump(hour)
        await turn(processOn(ports).service, tenantId, 1)
        assert.deepEqual(versionsOf(ports), { tenant: [2], subjects: [2] }, `killed at ${at}`)
        assert.deepEqual(await readable(processOn(ports), tenantId), texts, `after ${at}`)
        if (!dead) break
        killed++
        assert.ok(at < 30)
      }
      assert.ok(killed >= 4, `${killed} kills`)
    })
})
