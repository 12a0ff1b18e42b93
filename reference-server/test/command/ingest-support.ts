import { type Service, unwrap } from '@countersign/core'
import { newApplication, newOrganization, provisionKey } from '@countersign/core/testing'

/** An organization with an application, and what it sends. */
export async function prepareIngest(service: Service, email: string) {
  const { tenantId, admin } = await newOrganization(service, { name: 'Example', email })
  const applicationId = await newApplication(service, admin, 'Assistant')
  const { key } = await provisionKey(service, { tenantId, applicationId })
  return { tenantId, applicationId, admin, key }
}

export type Prepared = Awaited<ReturnType<typeof prepareIngest>>

const traceOf = (at: number) => String(at + 1).padStart(32, '0')
const spanOf = (at: number) => String(at + 1).padStart(16, '0')
const textOf = (at: number) => `text of session ${at}`

/** Sends a session of one step, each of its own person. */
export async function sendSession({ ingest }: Service, { key }: Prepared, at: number) {
  const attributes = {
    'session.id': `session-${at}`,
    'user.id': `person ${at}`,
    'input.value': textOf(at),
  }
  const span = {
    traceId: traceOf(at),
    spanId: spanOf(at),
    name: 'chat',
    startTimeUnixNano: '1767225600000000000',
    endTimeUnixNano: '1767225601000000000',
    attributes: Object.entries(attributes).map(([name, text]) => ({
      key: name,
      value: { stringValue: text },
    })),
  }
  const body = { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }
  unwrap(await ingest.acceptExport(key, new TextEncoder().encode(JSON.stringify(body))))
}

/** Whether the content of a session is what was sent. */
export async function isWhole({ sessions }: Service, { admin }: Prepared, at: number) {
  const stepId = `${traceOf(at)}-${spanOf(at)}`
  const step = unwrap(await sessions.readStep(admin, { sessionId: `session-${at}`, stepId }))
  return step.payload?.input === textOf(at)
}
