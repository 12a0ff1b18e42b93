import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { collections } from '@countersign/core'
import { composeServer } from '../../compose.ts'
import { readConfig } from '../../config.ts'
import { freePorts } from '../../demo/processes.ts'
import { serveParent } from '../child.ts'
import { granted, openCase, organize } from '../service.ts'

export interface Ready {
  readonly port: number
  readonly cookie: string
}

export interface Waiting {
  readonly reviewCaseId: string
  readonly caseVersion: number
  readonly presentationDigest: string | null
}

const secret = () => randomBytes(32).toString('base64')
const atOnce = 128

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** `texts`: `clear` to leave out what seals texts in rows, for comparison. */
interface Given {
  readonly directory: string
  readonly texts?: 'clear'
}

await serveParent<Given>(async ({ directory, texts }) => {
  if (texts === 'clear') for (const each of collections) Object.assign(each, { sealed: [] })
  const [ingest = 0, portal = 0, staff = 0] = await freePorts(3)
  const server = await composeServer(
    readConfig({
      COUNTERSIGN_DATABASE: join(directory, 'countersign.sqlite'),
      COUNTERSIGN_MASTER_KEY: secret(),
      COUNTERSIGN_SESSION_SECRET: secret(),
      COUNTERSIGN_INGEST_PORT: String(ingest),
      COUNTERSIGN_PORTAL_PORT: String(portal),
      COUNTERSIGN_STAFF_PORT: String(staff),
      COUNTERSIGN_INGEST_URL: `http://127.0.0.1:${ingest}`,
      COUNTERSIGN_PORTAL_URL: `http://127.0.0.1:${portal}`,
      COUNTERSIGN_LOG_LEVEL: 'error',
      // One reviewer decides thousands of cases a second, from one address.
      COUNTERSIGN_MEMBER_RATE_PER_MINUTE: '100000000',
      COUNTERSIGN_ADDRESS_RATE_PER_MINUTE: '100000000',
    }),
  )
  await server.start()
  const { service } = server
  const organization = await organize(service, 'decide')
  const { tenantId } = organization
  const account = { email: 'ruth@decide.example', password: 'a long enough password' }
  granted(
    await service.members.create(
      { kind: 'system' },
      {
        tenantId,
        ...account,
        name: 'Ruth',
        role: 'CustomerAuditor',
        permissions: ['Review Cases'],
      },
    ),
  )
  const session = granted(await service.auth.login({ ...account, address: '127.0.0.1' }))
  const reviewer = granted(await service.access.authenticateMember(session.token))

  async function waiting(count: number): Promise<readonly Waiting[]> {
    const cases: Waiting[] = []
    while (cases.length < count) {
      const some = Array.from({ length: Math.min(atOnce, count - cases.length) }, async () => {
        const id = await openCase(service, organization)
        return granted(await service.reviewCases.claim(reviewer, { reviewCaseId: id }))
      })
      for (const { reviewCaseId, caseVersion, presentationDigest } of await Promise.all(some))
        cases.push({ reviewCaseId, caseVersion, presentationDigest })
    }
    return cases
  }

  const ready: Ready = { port: portal, cookie: `service_customer_token=${session.token}` }
  return {
    ready,
    answer: async (asked) => (asked === 'cpu' ? cpuMs() : waiting(Number(asked))),
  }
})
