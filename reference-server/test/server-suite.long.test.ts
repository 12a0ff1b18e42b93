import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { connect } from 'node:tls'
import { main } from '@countersign/conformance/cli'
import { checks, openServerSuite, runServerSuite } from '@countersign/conformance/server'
import { failures, type JudgedServer, startJudged } from './judged-server.ts'
import { scratchDirectory } from './processes/scratch.ts'
import type { Stage } from './processes/stage.ts'
import { openRelay } from './relay.ts'

const directory = scratchDirectory()

describe('the conformance suite for servers', () => {
  let stage: Stage
  let target: JudgedServer['target']

  before(async () => {
    ;({ stage, target } = await startJudged(directory))
  })
  after(() => stage.end())

  it('passes the reference server whole', async () => {
    const report = await runServerSuite(target)
    assert.deepEqual(failures(report), [])
    assert.deepEqual([report.passed, report.notJudged], [checks.length, 0])
  })

  it('says what it could not judge, and never calls it passed', async () => {
    const { clock: _, sink: __, stranger: ___, ...bare } = target
    const report = await runServerSuite(bare, { only: ['schedule', 'time', 'errors.tenants'] })
    assert.equal(report.notJudged, report.checks.length)
    assert.ok(report.checks.every(({ needs }) => needs.length > 0))
  })

  it('reports a server that goes down in the middle', async () => {
    const ca = readFileSync(stage.setup.caFile, 'utf8')
    const portal = await openRelay({ to: target.portal, ca })
    portal.spoiler = {
      request: ({ method }) => {
        if (method === 'DELETE') throw new Error('down')
      },
    }
    try {
      const only = ['deliveries.events', 'errors.order']
      const report = await runServerSuite({ ...target, portal: portal.url }, { only })
      const [found, ...others] = failures(report)
      assert.match(found ?? '', /deliveries\.events: DELETE .* got no answer: socket hang up/)
      assert.deepEqual(others, [])
    } finally {
      await portal.close()
    }
  })

  it('goes on when a delivery breaks off', async () => {
    const suite = await openServerSuite(target)
    try {
      const ca = readFileSync(stage.setup.caFile, 'utf8')
      const socket = connect({ host: 'localhost', port: stage.setup.ports.receiver, ca })
      socket.end('POST /sink/1 HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n{')
      await once(socket.resume(), 'close')
      assert.deepEqual(failures(await suite.run({ only: ['errors.order'] })), [])
    } finally {
      suite.close()
    }
  })

  it('leaves nothing open when it can’t log in', async () => {
    const reviewer = { ...target.reviewer, password: 'another one' }
    await assert.rejects(openServerSuite({ ...target, reviewer }), /could not log in: 401/)
    const suite = await openServerSuite(target)
    suite.close()
  })

  it('is a command with a report, JSON, JUnit XML and exit codes', async () => {
    const run = async (...args: readonly string[]) => {
      let out = ''
      let err = ''
      const status = await main(['server', ...args], {
        env: { KEY: target.applicationKey },
        out: (text) => {
          out += text
        },
        err: (text) => {
          err += text
        },
        terminal: false,
      })
      return { status, out, err }
    }
    const { admin, reviewer } = target
    const file = join(directory, 'credentials.json')
    writeFileSync(file, JSON.stringify({ applicationId: target.applicationId, admin, reviewer }))
    const junit = join(directory, 'server.xml')
    const given = ['--ingest', target.ingest, '--portal', target.portal, '--credentials', file]
    const key = ['--application-key', 'env:KEY']
    const scope = ['--only', 'errors', '--junit', junit]

    const good = await run(...given, ...key, ...scope, '--json')
    assert.equal(good.status, 0, good.err)
    assert.deepEqual(JSON.parse(good.out).failed, 0)
    assert.match(good.err, /errors\.order/)
    assert.match(
      readFileSync(junit, 'utf8'),
      /<skipped message="not judged: needs an admin of another/,
    )

    const wrongKey = await run(
      ...given,
      '--application-key',
      'svc_app_wrong',
      '--only',
      'cases.open',
    )
    assert.equal(wrongKey.status, 1)
    assert.match(wrongKey.out, /✗ cases\.open[\s\S]*expected 200, got 401/)

    const unwritten = ['--junit', join(directory, 'nowhere', 'server.xml')]
    const lost = await run(...given, ...key, '--only', 'errors.order', ...unwritten)
    assert.equal(lost.status, 2)
    assert.match(lost.err, /--junit: ENOENT/)
    assert.match(lost.out, /1 passed/, 'the report is printed all the same')

    assert.equal((await run(...given)).status, 2, 'no key')
    const nowhere = await run('--ingest', 'nowhere', '--portal', target.portal, ...key)
    assert.match(nowhere.err, /--ingest expected a URL with http or https, got nowhere/)
    assert.equal((await run(...given, ...key, '--only', 'nonsense')).status, 2)
    const nobody = ['--ingest', target.ingest, '--portal', 'http://127.0.0.1:9']
    assert.equal((await run(...nobody, '--credentials', file, ...key)).status, 2)
    assert.match((await run('--list')).out, /schedule\.three-days/)
  })
})
