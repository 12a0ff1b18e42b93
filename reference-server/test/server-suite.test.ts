import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import {
  checks,
  runServerSuite,
  type ServerReport,
  type ServerTarget,
} from '@countersign/conformance/server'
import { freePorts } from '../demo/processes.ts'
import { scratchDirectory } from './processes/scratch.ts'
import { prepareStage, type Stage, type StagedServer } from './processes/stage.ts'

const directory = scratchDirectory()

describe('the conformance suite for servers', () => {
  let stage: Stage
  let server: StagedServer
  let target: ServerTarget

  before(async () => {
    stage = await prepareStage(directory)
    const [clockPort = 0] = await freePorts(1)
    server = await stage.start({
      environment: { COUNTERSIGN_TEST_CLOCK_PORT: String(clockPort) },
    })
    const { organization, setup, stranger } = stage
    target = {
      ingest: server.ingest,
      portal: server.portal,
      applicationId: organization.applicationId,
      applicationKey: organization.applicationKey,
      admin: organization.admin,
      reviewer: organization.reviewer,
      stranger,
      sink: {
        url: setup.origins.receiver,
        port: setup.ports.receiver,
        key: readFileSync(setup.files.tlsKey, 'utf8'),
        cert: readFileSync(setup.files.tlsCert, 'utf8'),
      },
      clock: `http://127.0.0.1:${clockPort}`,
    }
  })
  after(() => stage.end())

  const failures = ({ checks: all }: ServerReport) =>
    all.filter(({ verdict }) => verdict === 'failed').map(({ name, found }) => `${name}: ${found}`)

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
})
