import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { type Service, unwrap } from '@countersign/core'
import { composeServer } from '../../compose.ts'
import { readConfig } from '../../config.ts'
import { scratchDirectory } from '../processes/scratch.ts'
import { runCommand, settingsOf } from './run-command.ts'

const environment = {
  ...settingsOf(join(scratchDirectory(), 'countersign.sqlite')),
  COUNTERSIGN_LOG_LEVEL: 'silent',
}
const admin = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }

async function withService<T>(use: (service: Service) => Promise<T>): Promise<T> {
  const server = await composeServer(readConfig(environment))
  try {
    return await use(server.service)
  } finally {
    await server.stop()
  }
}

describe('the countersign command for staff', () => {
  let tenantId = ''
  before(async () => {
    tenantId = await withService(async ({ tenants }) => {
      const made = await tenants.create({ kind: 'system' }, { name: 'Acme', admin })
      return unwrap(made).tenant.tenantId
    })
  })

  const run = async (...args: readonly string[]) => {
    const { status, out, err } = await runCommand([...args, '--json'], { environment })
    return { status, err, facts: out === '' ? {} : JSON.parse(out) }
  }
  const login = () =>
    withService(async ({ auth }) => {
      const session = await auth.login({
        email: admin.email,
        password: admin.password,
        address: '::1',
      })
      return session.ok ? 'ok' : session.refusal.code
    })

  it('suspends and resumes, by name', async () => {
    const suspended = await run('suspend', tenantId, '--reason', 'Ticket 1', '--as', 'ops')
    assert.equal(suspended.status, 0, suspended.err)
    const { status, statusChangedBy } = suspended.facts
    assert.deepEqual([status, statusChangedBy], ['suspended', 'staff:ops'])
    assert.equal(await login(), 'account_suspended')
    const resumed = await run('resume', tenantId, '--reason', 'Ticket 1')
    assert.deepEqual([resumed.facts.status, resumed.facts.statusChangedBy], ['active', 'system'])
    assert.equal(await login(), 'ok')
  })

  it('prints the link of a reset, which works once', async () => {
    const issued = await run('reset-password', '--email', admin.email, '--as', 'ops')
    assert.equal(issued.status, 0, issued.err)
    const { resetUrl, tenantId: of } = issued.facts
    assert.equal(of, tenantId)
    const token = new URL(resetUrl).hash.slice(1)
    const accept = () =>
      withService(({ auth }) =>
        auth.acceptPasswordReset({ token, password: admin.password, address: '::1' }),
      )
    assert.equal((await accept()).ok, true)
    assert.equal((await accept()).ok, false)
    assert.equal(await login(), 'ok')
    const plain = await runCommand(['reset-password', '--email', admin.email], { environment })
    assert.match(plain.out, /^https:\/\/\S+\/reset#[0-9a-f]{64}\ngood once, until \S+Z\n$/)
  })

  it('sets a plan', async () => {
    const set = await run('plan', tenantId, 'Enterprise', '--retention-days', '730', '--as', 'ops')
    assert.deepEqual([set.status, set.facts.plan, set.facts.retentionDays], [0, 'Enterprise', 730])
    const short = await run('plan', tenantId, 'Enterprise', '--retention-days', '30')
    assert.equal(short.status, 1)
    assert.match(short.err, /365/)
  })

  it('takes a key request to its end', async () => {
    const requestId = await withService(async ({ access, applications, auth, keyRequests }) => {
      const session = unwrap(
        await auth.login({ email: admin.email, password: admin.password, address: '::1' }),
      )
      const actor = unwrap(await access.authenticateMember(session.token))
      const { applicationId } = unwrap(await applications.create(actor, { name: 'Assistant' }))
      const asked = { applicationId, reason: 'A key for the new backend' }
      return unwrap(await keyRequests.submit(actor, { action: 'issue-secondary-key', ...asked })).id
    })
    const listed = await run('key-requests', '--status', 'submitted')
    assert.deepEqual(
      listed.facts.keyRequests.map(({ id }: { readonly id: string }) => id),
      [requestId],
    )
    const early = await run('key-request', 'execute', requestId)
    assert.equal(early.status, 1)
    for (const [act, status] of [
      ['approve', 'approved'],
      ['execute', 'executed'],
    ] as const) {
      const { facts } = await run('key-request', act, requestId, '--as', 'ops')
      assert.deepEqual([facts.ok, facts.tenantId, facts.status], [true, tenantId, status])
    }
    assert.equal((await run('key-requests', '--status', 'submitted')).facts.totalCount, 0)
  })

  it('lists purges that failed, and takes none up that is not there', async () => {
    const listed = await run('purges')
    assert.deepEqual([listed.status, listed.facts.purges, listed.facts.totalCount], [0, [], 0])
    for (const act of ['requeue', 'resolve'])
      assert.match((await run('purge', act, 'prg_0', '--note', 'x')).err, /no such message/)
  })

  it('starts the deletion of an organization, and takes it back', async () => {
    const time = '2026-11-22T09:00:00Z'
    const form = ['--form-sha256', '0'.repeat(64), '--signed-by', 'Ada', '--signed-at', time]
    const identity = ['--method', 'video call', '--verified-by', 'security', '--verified-at', time]
    const asked = ['delete-tenant', tenantId, '--ticket', '4712', ...identity, ...form]
    const begun = await run(...asked, '--as', 'ops')
    assert.deepEqual([begun.status, begun.facts.state], [0, 'pending_deletion'], begun.err)
    const self = await run(...asked, '--verified-by', 'ops', '--as', 'ops')
    assert.match(self.err, /another member of staff/)
    const nobody = await run(...asked)
    assert.deepEqual(
      [nobody.status, nobody.err.includes('a value for --as')],
      [2, true],
      nobody.err,
    )
    const kept = await run('keep-tenant', tenantId, '--as', 'ops')
    assert.deepEqual([kept.status, kept.facts.state], [0, 'active'], kept.err)
    assert.match((await run('keep-tenant', tenantId)).err, /no deletion/)
  })

  it('tells why a key request failed', async () => {
    const requestId = await withService(async ({ access, auth, keyRequests }) => {
      const session = unwrap(
        await auth.login({ email: admin.email, password: admin.password, address: '::1' }),
      )
      const actor = unwrap(await access.authenticateMember(session.token))
      const asked = { reason: 'Once a year' }
      return unwrap(await keyRequests.submit(actor, { action: 'rotate-tenant-key', ...asked })).id
    })
    await run('key-request', 'approve', requestId)
    const { status, out } = await runCommand(['key-request', 'execute', requestId], { environment })
    assert.equal(status, 1)
    assert.match(out, new RegExp(`^${requestId}: failed, not_found: \\S.*\n$`))
  })

  it('says what it expected', async () => {
    for (const [args, status, expected] of [
      [['suspend', 'ten_0', '--reason', 'x'], 1, /no such organization/],
      [['suspend', tenantId], 2, /--reason TEXT/],
      [['reset-password'], 2, /--email EMAIL/],
      [['reset-password', '--email', 'x@y.example'], 1, /no active member/],
      [['suspend', tenantId, '--reason', 'x', '--as', 'the ops'], 2, /--as .* got "the ops"/],
      [['suspend', tenantId, '--reason', ' '], 1, /expected 1 to 1000 characters/],
      [['key-request', 'execute', 'req_0'], 1, /req_0: /],
      [['key-request', 'grant', 'req_0'], 2, /one of approve, execute, reject, got grant/],
      [['key-requests', '--status', 'new'], 2, /one of submitted.* got new/],
      [['purge', 'drop', 'prg_0', '--note', 'x'], 2, /one of requeue, resolve, got drop/],
      [['purge', 'requeue', 'prg_0'], 2, /--note TEXT/],
      [['delete-tenant', tenantId], 2, /a value for --ticket, got none/],
      [['plan', tenantId, 'Free'], 2, /one of Builder, Team, Enterprise, got Free/],
      [['plan', tenantId, 'Team', '--retention-days', 'x'], 2, /a number of days, got x/],
    ] as const) {
      const ran = await run(...args)
      assert.equal(ran.status, status, ran.err)
      assert.match(ran.err, expected)
    }
  })
})
