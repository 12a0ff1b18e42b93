import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { type Service, unwrap } from '@countersign/core'
import { composeServer } from '../../compose.ts'
import { readConfig } from '../../config.ts'
import { scratchDirectory } from '../processes/scratch.ts'
import { isWhole, type Prepared, prepareIngest, sendSession } from './ingest-support.ts'
import { runCommand, settingsOf } from './run-command.ts'

const environment = {
  ...settingsOf(join(scratchDirectory(), 'countersign.sqlite')),
  COUNTERSIGN_LOG_LEVEL: 'silent',
}
const system = { kind: 'system' } as const

async function withService<T>(use: (service: Service) => Promise<T>): Promise<T> {
  const server = await composeServer(readConfig(environment))
  try {
    return await use(server.service)
  } finally {
    await server.stop()
  }
}

describe('countersign rotate-tenant-key', () => {
  const sessions = [0, 1, 2]
  let prepared: Prepared
  let tenantId = ''

  before(async () => {
    prepared = await withService(async (service) => {
      const made = await prepareIngest(service, 'ada@example.com')
      for (const at of sessions) await sendSession(service, made, at)
      return made
    })
    tenantId = prepared.tenantId
  })

  const allWhole = () =>
    withService((service) => Promise.all(sessions.map((at) => isWhole(service, prepared, at))))
  const rotate = async () => {
    const { status, out, err } = await runCommand(['rotate-tenant-key', tenantId, '--json'], {
      environment,
    })
    assert.equal(status, 0, err)
    return JSON.parse(out) as Readonly<Record<string, unknown>>
  }

  it('replaces the key, and everything stays readable', async () => {
    assert.deepEqual(await rotate(), {
      ...{ ok: true, tenantId, keyVersion: 2, started: true, complete: true },
    })
    assert.deepEqual(await allWhole(), [true, true, true])
  })

  it('goes on with a rotation whose process ended', async () => {
    const { keyVersion } = await withService(async ({ tenantKeys }) =>
      unwrap(await tenantKeys.rotate(system, { tenantId })),
    )
    assert.deepEqual(await rotate(), {
      ...{ ok: true, tenantId, keyVersion, started: false, complete: true },
    })
    assert.deepEqual(await allWhole(), [true, true, true])
  })

  it('says what it expected of an organization that has nothing sealed', async () => {
    const { status, err } = await runCommand(['rotate-tenant-key', 'ten_other'], { environment })
    assert.equal(status, 1)
    assert.match(err, /ten_other: nothing of this organization is sealed yet/)
  })
})
