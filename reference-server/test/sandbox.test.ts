import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type MemberActor, type Service, unwrap } from '@countersign/core'
import { createPdfRenderer } from '@countersign/documents'
import { composeServer, type Server } from '../compose.ts'
import { readConfig } from '../config.ts'
import { openSandbox, type Sandbox, sandboxTenantId } from '../sandbox/open-sandbox.ts'
import { settingsOf } from './command/run-command.ts'
import { ownPorts } from './own-ports.ts'

const guest: MemberActor = {
  kind: 'member',
  tenantId: sandboxTenantId,
  memberId: 'mem_of_another',
  role: 'CustomerAdmin',
  permissions: ['Manage Integrations', 'Review Cases', 'Export Evidence'],
  guest: true,
}
const whole = { page: 1, pageSize: 100 }

async function rowsOf<T>({ pieces }: { readonly pieces: AsyncIterable<readonly T[]> }) {
  const rows: T[] = []
  for await (const piece of pieces) rows.push(...piece)
  return rows
}

const sessionsOf = async (service: Service) =>
  rowsOf(unwrap(await service.sessions.list(guest, whole)))
const casesOf = async (service: Service) =>
  rowsOf(unwrap(await service.reviewCases.list(guest, { ...whole })))

describe('the sandbox', () => {
  const renderer = createPdfRenderer()
  const origins = {
    ingestUrl: 'https://ingest.example',
    portalUrl: 'https://portal.example',
    renderer,
  }
  let sandboxes: readonly Sandbox[]
  let services: readonly Service[]
  before(async () => {
    sandboxes = [openSandbox(origins), openSandbox(origins)]
    services = await Promise.all(sandboxes.map((each) => each.service()))
  })
  after(async () => {
    for (const each of sandboxes) await each.close()
    await renderer.close()
  })
  const first = () => {
    const [service] = services
    assert.ok(service)
    return service
  }

  const applicationsOf = async (service: Service) =>
    unwrap(await service.applications.list(guest, whole)).applications

  test('has a case in each state, sessions with all kinds of marks, a hold, an erasure', async () => {
    const service = first()
    const applications = await applicationsOf(service)
    assert.equal(applications.length, 2)
    const sessions = await sessionsOf(service)
    assert.equal(sessions.length, 24)
    assert.deepEqual([...new Set(sessions.map(({ status }) => status))].sort(), [
      'completed',
      'failed',
    ])
    assert.ok(sessions.every(({ sealed, qualityScore }) => sealed && qualityScore !== null))
    assert.deepEqual(
      new Set(sessions.map(({ reviewState }) => reviewState)),
      new Set([null, 'approved', 'rejected']),
    )
    const cases = await casesOf(service)
    const states = new Set(cases.map(({ state, decision }) => `${state} ${decision ?? ''}`.trim()))
    assert.deepEqual([...states].sort(), [
      'cancelled cancelled',
      'decided approved',
      'decided rejected',
      'expired expired',
      'open',
      'open follow_up_required',
    ])
    assert.equal(cases.filter(({ overdueAt, state }) => overdueAt && state === 'open').length, 1)
    assert.ok(cases.some(({ reasonCategory }) => reasonCategory === 'policy_requires_human_review'))
    const denied = await Promise.all(
      sessions.map(async ({ sessionId }) =>
        unwrap(await service.flags.list(guest, { sessionId, ...whole })).flags.map(
          ({ flag }) => flag,
        ),
      ),
    )
    assert.deepEqual(new Set(denied.flat()), new Set(['quality', 'safety', 'compliance']))
    const { legalHolds: holds } = unwrap(
      await service.legalHolds.list(guest, { active: true, ...whole }),
    )
    assert.equal(holds.length, 1)
    const { erasureRequests: erasures } = unwrap(await service.erasureRequests.list(guest, whole))
    assert.deepEqual(
      erasures.map(({ status }) => status),
      ['completed'],
    )
    const { webhooks } = unwrap(await service.webhooks.list(guest, {}))
    assert.deepEqual(
      webhooks.map(({ status }) => status),
      ['turned_off'],
    )
  })

  test('has alert rules in both states, chats of both kinds and key requests, and keys that verify', async () => {
    const service = first()
    const { alertRules: rules } = unwrap(await service.alertRules.list(guest, whole))
    assert.deepEqual(rules.map(({ state }) => state).sort(), ['ok', 'triggered'])
    const { notificationChannels: channels } = unwrap(
      await service.notificationChannels.list(guest, whole),
    )
    const chats = new Map(channels.map(({ kind, ...channel }) => [kind, channel]))
    assert.deepEqual([...chats.keys()].sort(), ['slack', 'teams'])
    assert.deepEqual([chats.get('slack')?.enabled, chats.get('teams')?.enabled], [true, false])
    for (const { state, lastError } of channels)
      assert.deepEqual([state, lastError], ['active', null])
    const { keyRequests: requests } = unwrap(await service.keyRequests.list(guest, whole))
    assert.deepEqual(requests.map(({ status }) => status).sort(), [
      'executed',
      'rejected',
      'submitted',
    ])
    const [session] = await sessionsOf(service)
    assert.ok(session)
    const { signatures } = unwrap(
      await service.evidence.read(guest, { sessionId: session.sessionId }),
    )
    const { keys } = unwrap(await service.evidenceKeys.read({ tenantId: sandboxTenantId }))
    assert.deepEqual(
      keys.map(({ kid }) => kid),
      signatures.map(({ keyId }) => keyId),
    )
  })

  test('is the same wherever it is seeded', async () => {
    const seen = await Promise.all(
      services.map(async (service) => [
        await applicationsOf(service),
        (await casesOf(service)).map(({ reviewCaseId, state, presentationDigest }) => [
          reviewCaseId,
          state,
          presentationDigest,
        ]),
        (await sessionsOf(service)).map(({ sessionId, dataSubjectId: _, ...session }) => [
          sessionId,
          session.sealed,
        ]),
      ]),
    )
    const withoutKeys = (each: unknown) =>
      JSON.parse(JSON.stringify(each, (name, value) => (name === 'publicKey' ? null : value)))
    assert.deepEqual(withoutKeys(seen[1]), withoutKeys(seen[0]))
  })

  test('stands still: nothing in it falls due, and an export is of the same moment at any time', async () => {
    const service = first()
    const open = (await casesOf(service)).filter(({ state }) => state === 'open')
    const [session] = await sessionsOf(service)
    assert.ok(session)
    const exported = async () =>
      unwrap(await service.evidence.read(guest, { sessionId: session.sessionId }))
    const times = [await exported(), await exported()].map(({ generatedAt }) => generatedAt)
    assert.equal(times[0], times[1])
    for (const { expiresAt } of open) assert.ok(expiresAt > (times[0] ?? ''))
  })

  test('opens nothing: a guest changes nothing, and its keys are no one’s', async () => {
    const service = first()
    const changed = await service.applications.create(guest, { name: 'x' })
    assert.equal(changed.ok ? null : changed.refusal.code, 'sandbox_read_only')
    const email = 'ada.admin@sandbox.example'
    const login = await service.auth.login({
      email,
      password: 'no password opens this',
      address: '::1',
    })
    assert.equal(login.ok ? null : login.refusal.code, 'invalid_credentials')
  })
})

test('a server shows the sandbox to its members, and keeps it apart from its database', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'countersign-sandbox-test-'))
  const [portalPort = 0] = await ownPorts(1)
  const portal = `http://127.0.0.1:${portalPort}`
  const server: Server = await composeServer(
    readConfig({
      ...settingsOf(join(directory, 'countersign.sqlite')),
      COUNTERSIGN_INGEST_PORT: '0',
      COUNTERSIGN_STAFF_PORT: '0',
      COUNTERSIGN_PORTAL_PORT: String(portalPort),
      COUNTERSIGN_PORTAL_URL: portal,
      COUNTERSIGN_LOG_LEVEL: 'silent',
    }),
  )
  await server.start()
  try {
    const admin = { name: 'Ada', email: 'ada@home.example', password: 'correct horse battery' }
    const made = await server.service.tenants.create({ kind: 'system' }, { name: 'Home', admin })
    const { tenantId } = unwrap(made).tenant
    const session = unwrap(
      await server.service.auth.login({
        email: admin.email,
        password: admin.password,
        address: '::1',
      }),
    )
    const cookie = `service_customer_token=${session.token}`
    const ask = (method: string, path: string, headers: Readonly<Record<string, string>>) =>
      fetch(portal + path, {
        method,
        headers: { cookie, 'content-type': 'application/json', ...headers },
        ...(method === 'POST' && { body: '{"name":"x"}' }),
      })
    const sandbox = { 'x-service-sandbox': 'true' }
    const shown = await ask('GET', '/v1/applications', sandbox)
    assert.equal(shown.status, 200)
    const { applications } = (await shown.json()) as { applications: readonly { name: string }[] }
    assert.deepEqual(applications.map(({ name }) => name).sort(), [
      'Claims triage',
      'Support assistant',
    ])
    const keys = (kind: string, tenant: string) => fetch(`${portal}/.well-known/${kind}/${tenant}`)
    for (const kind of ['evidence-keys', 'webhook-keys']) {
      const published = await keys(kind, sandboxTenantId)
      assert.equal(published.status, 200, kind)
      assert.equal(((await published.json()) as { keys: readonly unknown[] }).keys.length, 1, kind)
      assert.equal((await keys(kind, 'ten_00000000000000000000000000')).status, 404, kind)
    }
    const packed = await fetch(`${portal}/v1/applications/auditor-pack`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json', ...sandbox },
      body: '{"applicationIds":[]}',
    })
    assert.equal(packed.status, 400, 'the plan of the sandbox includes it, and the list is empty')
    const own = (await (await ask('GET', '/v1/applications', {})).json()) as { totalCount: number }
    assert.equal(own.totalCount, 0)
    const changed = await ask('POST', '/v1/applications', sandbox)
    assert.equal(changed.status, 403)
    assert.equal(((await changed.json()) as { code: string }).code, 'sandbox_read_only')
    assert.notEqual(tenantId, sandboxTenantId)
  } finally {
    await server.stop()
    rmSync(directory, { recursive: true })
  }
})
