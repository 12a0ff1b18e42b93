import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { type MemberActor, type Service, unwrap } from '@countersign/core'
import { composeServer } from '../../compose.ts'
import { readConfig } from '../../config.ts'
import { scratchDirectory } from '../processes/scratch.ts'
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
  let admin: MemberActor
  let tenantId = ''
  const sessions = ['one', 'two', 'three']

  before(() =>
    withService(async ({ access, applications, ingest }) => {
      const made = unwrap(
        await access.createTenant(system, {
          name: 'Example',
          admin: { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' },
        }),
      )
      tenantId = made.tenant.tenantId
      admin = { kind: 'member', tenantId, ...made.admin }
      const { applicationId } = unwrap(await applications.create(admin, { name: 'Assistant' }))
      const issued = unwrap(
        await access.issueCustomerKey(system, { tenantId, applicationId, type: 'primary ingest' }),
      )
      const secret = issued.value.split('.').at(-1) ?? ''
      const key = unwrap(await access.authenticateCustomerKey(secret))
      const span = (sessionId: string, at: number) => ({
        traceId: String(at + 1).padStart(32, '0'),
        spanId: String(at + 1).padStart(16, '0'),
        name: 'chat',
        startTimeUnixNano: '1767225600000000000',
        endTimeUnixNano: '1767225601000000000',
        attributes: Object.entries({
          'session.id': sessionId,
          'user.id': `person ${at}`,
          'input.value': `text of ${sessionId}`,
        }).map(([name, text]) => ({ key: name, value: { stringValue: text } })),
      })
      const body = { resourceSpans: [{ scopeSpans: [{ spans: sessions.map(span) }] }] }
      unwrap(await ingest.acceptExport(key, new TextEncoder().encode(JSON.stringify(body))))
    }),
  )

  const texts = () =>
    withService(({ ingest }) =>
      Promise.all(
        sessions.map(async (sessionId, at) => {
          const stepId = `${String(at + 1).padStart(32, '0')}-${String(at + 1).padStart(16, '0')}`
          const step = unwrap(await ingest.readStep(admin, sessionId, stepId))
          return step.payload?.input
        }),
      ),
    )
  const rotate = async () => {
    const { status, out, err } = await runCommand(['rotate-tenant-key', tenantId, '--json'], {
      environment,
    })
    assert.equal(status, 0, err)
    return JSON.parse(out) as Readonly<Record<string, unknown>>
  }

  it('replaces the key, and everything stays readable', async () => {
    const before = await texts()
    assert.deepEqual(
      before,
      sessions.map((sessionId) => `text of ${sessionId}`),
    )
    assert.deepEqual(await rotate(), {
      ...{ ok: true, tenantId, keyVersion: 2, started: true, complete: true },
    })
    assert.deepEqual(await texts(), before)
  })

  it('goes on with a rotation whose process ended', async () => {
    const { keyVersion } = await withService(async ({ tenantKeys }) =>
      unwrap(await tenantKeys.rotate(system, tenantId)),
    )
    assert.deepEqual(await rotate(), {
      ...{ ok: true, tenantId, keyVersion, started: false, complete: true },
    })
    assert.equal((await texts()).length, sessions.length)
  })

  it('says what it expected of an organization that has nothing sealed', async () => {
    const { status, err } = await runCommand(['rotate-tenant-key', 'ten_other'], { environment })
    assert.equal(status, 1)
    assert.match(err, /ten_other: nothing of this organization is sealed yet/)
  })
})
