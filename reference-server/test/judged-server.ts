import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { ServerReport, ServerTarget } from '@countersign/conformance/server'
import { ownPorts } from './own-ports.ts'
import { prepareStage, type Stage } from './processes/stage.ts'

/** A reference server whose clock the suite moves, and all that the suite is told of it. */
export interface JudgedServer {
  readonly stage: Stage
  readonly target: ServerTarget & Required<Pick<ServerTarget, 'sink' | 'staff'>>
}

export async function startJudged(directory: string): Promise<JudgedServer> {
  const stage = await prepareStage(directory)
  const [clockPort = 0] = await ownPorts(1)
  const { organization, setup, stranger } = stage
  const token = readFileSync(setup.files.staffToken, 'utf8').trim()
  const digest = createHash('sha256').update(token).digest('hex')
  const server = await stage.start({
    environment: {
      COUNTERSIGN_TEST_CLOCK_PORT: String(clockPort),
      // A deletion takes two of staff.
      COUNTERSIGN_STAFF_TOKENS: `local:${digest},colleague:${'0'.repeat(64)}`,
    },
  })
  const target = {
    ingest: server.ingest,
    portal: server.portal,
    applicationId: organization.applicationId,
    applicationKey: organization.applicationKey,
    customerKey: organization.customerKey,
    admin: organization.admin,
    reviewer: organization.reviewer,
    stranger,
    staff: { url: server.staff, token },
    sink: {
      url: setup.origins.receiver,
      port: setup.ports.receiver,
      key: readFileSync(setup.files.tlsKey, 'utf8'),
      cert: readFileSync(setup.files.tlsCert, 'utf8'),
    },
    clock: `http://127.0.0.1:${clockPort}`,
  }
  return { stage, target }
}

export const failures = ({ checks }: ServerReport): readonly string[] =>
  checks.filter(({ verdict }) => verdict === 'failed').map(({ name, found }) => `${name}: ${found}`)
