import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openWorld, type World } from '@countersign/reference-server/reviewed'

const hook = fileURLToPath(new URL('../hook/main.js', import.meta.url))

/** What Claude makes of a hook: `allow` alone runs the call; an unknown end, but for 2, is no denial there. */
type Made = 'allow' | 'deny' | 'defer' | 'ignored'

describe('countersign-hook, as Claude runs it', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.end())

  async function made(
    command: string,
    input: unknown,
    environment: Readonly<Record<string, string>> = {},
    meanwhile: (pid: number) => void = () => {},
  ): Promise<{ readonly made: Made; readonly reason: string }> {
    const { ingestUrl, apiKey } = world.told
    const shell = spawn('sh', ['-c', command], {
      env: {
        PATH: process.env.PATH ?? '',
        COUNTERSIGN_INGEST_URL: ingestUrl,
        SERVICE_API_KEY: apiKey,
        ...environment,
      },
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    })
    shell.stdin.on('error', () => {})
    shell.stdin.end(typeof input === 'string' ? input : JSON.stringify(input))
    meanwhile(shell.pid ?? 0)
    const [[code], out] = await Promise.all([once(shell, 'exit'), text(shell.stdout)])
    if (code === 2) return { made: 'deny', reason: '' }
    if (code !== 0 || out === '') return { made: 'ignored', reason: '' }
    const { permissionDecision, permissionDecisionReason } = JSON.parse(out).hookSpecificOutput
    return { made: permissionDecision, reason: permissionDecisionReason }
  }

  const command = `${process.execPath} ${hook} || exit 2`
  const deferring = `${process.execPath} ${hook} --defer || exit 2`
  const call = (session: string, id = 'toolu_1', input: object = { command: 'rm -rf build' }) => ({
    hook_event_name: 'PreToolUse',
    session_id: session,
    tool_use_id: id,
    tool_name: 'Bash',
    tool_input: input,
  })

  const decided = (session: string, decision: 'approved' | 'rejected') =>
    world.decide(session, decision, 'As agreed.')

  it('defers where it is told to, then allows once', async () => {
    assert.equal((await made(deferring, call('h-1'))).made, 'defer')
    assert.equal((await made(deferring, call('h-1'))).made, 'defer')
    await decided('h-1', 'approved')
    assert.deepEqual(await made(deferring, call('h-1')), {
      made: 'allow',
      reason: 'Approved by a reviewer: As agreed.',
    })
    const again = await made(deferring, call('h-1'))
    assert.equal(again.made, 'deny')
    assert.equal((await world.casesOf('h-1')).length, 1)
  })

  it('denies what was rejected, changed, or has no ids', async () => {
    assert.equal((await made(deferring, call('h-2'))).made, 'defer')
    await decided('h-2', 'rejected')
    const { made: outcome, reason } = await made(deferring, call('h-2'))
    assert.equal(outcome, 'deny')
    assert.match(reason, /Rejected by a reviewer: As agreed\./)
    const changed = await made(deferring, call('h-2', 'toolu_1', { command: 'rm -rf /' }))
    assert.equal(changed.made, 'deny')
    for (const input of [{}, { session_id: 's', tool_name: 'Bash' }, 'null', '', '{'])
      assert.equal((await made(deferring, input)).made, 'deny')
  })

  it('denies until there is an approval, found by content', async () => {
    const first = await made(command, call('h-3', 'toolu_1'))
    assert.deepEqual([first.made, /later/.test(first.reason)], ['deny', true])
    await decided('h-3', 'approved')
    assert.equal((await made(command, call('h-3', 'toolu_2'))).made, 'allow')
    // Spent: the same content asks anew.
    assert.equal((await made(command, call('h-3', 'toolu_3'))).made, 'deny')
    assert.equal((await world.casesOf('h-3')).length, 2)
  })

  it('allows nothing that no pinned reviewer signed, nor without the file of their keys', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hook-'))
    try {
      const file = join(folder, 'reviewers.json')
      const pinning = `${process.execPath} ${hook} --reviewers ${file} || exit 2`
      assert.deepEqual(await made(pinning, call('h-6')), { made: 'deny', reason: '' })
      const coordinate = 'A'.repeat(43)
      const curve = { kty: 'EC', crv: 'P-256', x: coordinate, y: coordinate }
      const keys = [{ kid: 'c1', memberId: 'mem_1', ...curve }]
      const origins = ['https://portal.example.com']
      const ids = { tenantId: 'ten', applicationId: 'app' }
      writeFileSync(file, JSON.stringify({ ...ids, rpId: 'portal.example.com', origins, keys }))
      assert.match((await made(pinning, call('h-6'))).reason, /later/)
      await decided('h-6', 'approved')
      const { made: outcome, reason } = await made(pinning, call('h-6'))
      assert.deepEqual([outcome, /decision_not_signed/.test(reason)], ['deny', true])
      // Not spent by that.
      assert.equal((await made(command, call('h-6'))).made, 'allow')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('allows once what a pinned reviewer signed, in the folder in which it was asked', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hook-'))
    try {
      const file = join(folder, 'reviewers.json')
      const pinned = await world.enrol()
      writeFileSync(file, JSON.stringify(pinned))
      for (const [flag, other] of [
        ['', 'deny'],
        [' --defer', 'defer'],
      ] as const) {
        const session = `h-7-${other}`
        const pinning = `${process.execPath} ${hook} --reviewers ${file}${flag} || exit 2`
        const asked = { ...call(session), cwd: '/srv/app' }
        assert.equal((await made(pinning, asked)).made, other)
        await decided(session, 'approved')
        const elsewhere = await made(pinning, { ...asked, cwd: '/srv/other' })
        assert.equal(elsewhere.made, 'deny', flag)
        assert.equal((await made(pinning, asked)).made, 'allow', flag)
        assert.notEqual((await made(pinning, asked)).made, 'allow', flag)
        const refused = { ...asked, session_id: `${session}-refused` }
        await made(pinning, refused)
        await decided(refused.session_id, 'rejected')
        const rejected = await made(pinning, refused)
        assert.match(rejected.reason, /Rejected by a reviewer/, flag)
      }
      // The same service, to one who pinned the key of somebody else.
      const keys = pinned.keys.map((key) => ({ ...key, memberId: 'mem_1' }))
      writeFileSync(file, JSON.stringify({ ...pinned, keys }))
      const pinning = `${process.execPath} ${hook} --reviewers ${file} || exit 2`
      await made(pinning, call('h-8'))
      await decided('h-8', 'approved')
      assert.match((await made(pinning, call('h-8'))).reason, /decision_not_signed/)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('asks the service that its command names, whatever environment a project sets', async () => {
    const allowed = {
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' },
    }
    const told = `console.log('${JSON.stringify(allowed)}');process.exit()`
    const set = {
      COUNTERSIGN_INGEST_URL: 'http://127.0.0.1:9',
      COUNTERSIGN_HOOK_LIMIT_MS: '1',
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(told)}`,
    }
    assert.equal((await made(command, call('h-5'), set)).made, 'allow')
    const { ingestUrl, apiKey } = world.told
    const folder = mkdtempSync(join(tmpdir(), 'hook-'))
    try {
      const file = join(folder, 'hook.env')
      writeFileSync(file, `COUNTERSIGN_INGEST_URL=${ingestUrl}\nSERVICE_API_KEY=${apiKey}\n`)
      const closed = `/usr/bin/env -i ${process.execPath} --env-file=${file} ${hook} || exit 2`
      const { made: outcome, reason } = await made(closed, call('h-5'), set)
      assert.deepEqual([outcome, /A person is asked/.test(reason)], ['deny', true])
    } finally {
      rmSync(folder, { recursive: true })
    }
    assert.equal((await world.casesOf('h-5')).length, 1)
  })

  it('denies where it is missing, crashes, is killed, is out of time, or the service is away', async () => {
    const input = call('h-4')
    const missing = 'node_modules/.bin/no-such-hook || exit 2'
    assert.equal((await made(missing, input)).made, 'deny')
    assert.equal((await made(command, input, { COUNTERSIGN_INGEST_URL: 'nonsense' })).made, 'deny')
    assert.equal((await made(command, input, { SERVICE_API_KEY: '' })).made, 'deny')
    const away = { COUNTERSIGN_INGEST_URL: 'http://127.0.0.1:9', COUNTERSIGN_HOOK_LIMIT_MS: '2000' }
    assert.equal((await made(command, input, away)).made, 'deny')
    const unwritten = `${process.execPath} ${hook} >/dev/full || exit 2`
    assert.equal((await made(unwritten, input, away)).made, 'deny')
    // A service that takes the call, and never answers.
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const hanging = {
      COUNTERSIGN_INGEST_URL: `http://127.0.0.1:${port}`,
      COUNTERSIGN_HOOK_LIMIT_MS: '1000',
    }
    assert.equal((await made(command, input, hanging)).made, 'deny')
    const killed = `${process.execPath} ${hook} & hook=$!; sleep 0.3; kill -9 $hook; wait $hook || exit 2`
    const slow = { ...hanging, COUNTERSIGN_HOOK_LIMIT_MS: '60000' }
    assert.equal((await made(killed, input, slow)).made, 'deny')
    silent.closeAllConnections()
    silent.close()
    assert.equal((await world.casesOf('h-4')).length, 0)
  })
})
