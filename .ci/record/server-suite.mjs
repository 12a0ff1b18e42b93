// Runs checks of the server suite against the whole server, in this process so that its recorder hears both.

import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checks, openServerSuite } from '../../conformance/dist/server/index.js'
import { composeServer } from '../../reference-server/dist/compose.js'
import { readConfig } from '../../reference-server/dist/config.js'
import { ownPorts } from '../../reference-server/dist/test/own-ports.js'
import { prepareStage } from '../../reference-server/dist/test/processes/stage.js'
import { recorderKey } from './recorder.mjs'

const recorder = globalThis[recorderKey]
const directory = mkdtempSync(join(tmpdir(), 'countersign-suite-'))
process.on('exit', () => rmSync(directory, { recursive: true, force: true }))

const { organization, setup, stranger } = await prepareStage(directory)
const token = readFileSync(setup.files.staffToken, 'utf8').trim()
const digest = createHash('sha256').update(token).digest('hex')
const [ingest, portal, staff, clock] = (await ownPorts(4)).map(String)
const at = (port) => `http://127.0.0.1:${port}`
const { COUNTERSIGN_TLS_KEY_FILE: _, COUNTERSIGN_TLS_CERT_FILE: __, ...local } = setup.environment
const server = await composeServer(
  readConfig({
    ...local,
    COUNTERSIGN_INGEST_PORT: ingest,
    COUNTERSIGN_PORTAL_PORT: portal,
    COUNTERSIGN_STAFF_PORT: staff,
    COUNTERSIGN_INGEST_URL: at(ingest),
    COUNTERSIGN_PORTAL_URL: at(portal),
    COUNTERSIGN_RATE_PER_MINUTE: '100000',
    COUNTERSIGN_MEMBER_RATE_PER_MINUTE: '100000',
    COUNTERSIGN_LOG_LEVEL: 'fatal',
    COUNTERSIGN_TEST_CLOCK_PORT: clock,
    // A deletion takes two of staff.
    COUNTERSIGN_STAFF_TOKENS: `local:${digest},colleague:${'0'.repeat(64)}`,
  }),
)
await server.start()
const suite = await openServerSuite({
  ingest: at(ingest),
  portal: at(portal),
  applicationId: organization.applicationId,
  applicationKey: organization.applicationKey,
  customerKey: organization.customerKey,
  admin: organization.admin,
  reviewer: organization.reviewer,
  stranger,
  staff: { url: at(staff), token },
  sink: {
    url: setup.origins.receiver,
    port: setup.ports.receiver,
    key: readFileSync(setup.files.tlsKey, 'utf8'),
    cert: readFileSync(setup.files.tlsCert, 'utf8'),
  },
  clock: at(clock),
})
try {
  // In the order of the suite, whose clock only goes forward.
  for (const { name, promise } of checks) {
    if (!recorder.wants([promise])) continue
    await recorder.during([promise], async () => {
      const { checks: reports } = await suite.run({ only: [name] })
      for (const { verdict, found, needs } of reports)
        if (verdict !== 'passed') {
          console.log(`${name}: ${verdict}: ${found ?? needs.join(', ')}`)
          process.exitCode = 1
        }
    })
  }
} finally {
  suite.close()
  await server.stop()
}
