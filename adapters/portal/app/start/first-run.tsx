import type { ApplicationAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { Copy } from '../parts/copy.tsx'
import { Scrolled } from '../parts/scrolled.tsx'
import { isSandbox, to } from '../paths.ts'
import { isAdmin, may } from '../session.ts'

/** What an organization needs until its first case is there. */
interface Start {
  readonly application: ApplicationAnswer | undefined
  readonly hasKey: boolean
  readonly hasWebhook: boolean
  readonly caseId: string | undefined
}

/** Leads an admin of an organization without a case to its first one; nothing for anybody else. */
export function FirstRun() {
  const mayStart = isAdmin.value && may('Review Cases') && !isSandbox
  return mayStart ? <WithoutCases /> : null
}

/** The steps stay while the page is open, so that the first case can appear in them. */
function WithoutCases() {
  const read = useRead('cases', async (signal) => api.reviewCases.list({ pageSize: 1 }, { signal }))
  return read.data.value?.totalCount === 0 ? <Steps /> : null
}

function Steps() {
  const start = useRead('first run', readStart, { everyMs: 5_000 }).data.value
  if (!start) return null
  const { application, hasKey, hasWebhook, caseId } = start
  return (
    <section aria-labelledby="first">
      <h2 id="first">Your first case</h2>
      <ol class="steps">
        <li>
          <h3>A key {hasKey && <Done />}</h3>
          <p>
            {application ? (
              <>
                The application <bdi>{application.name}</bdi> opens cases with a key of its own.{' '}
                <a href={to(`/applications/${application.applicationId}`)}>
                  {hasKey ? 'See its keys' : 'Make a key'}
                </a>
              </>
            ) : (
              <>
                What asks for decisions is an application.{' '}
                <a href={to('/applications/new')}>Add the first application</a>
              </>
            )}
          </p>
        </li>
        <li>
          <h3>Eight lines</h3>
          <p>
            <code>npm install @countersign/client</code>, then run this with the key in{' '}
            <code>SERVICE_API_KEY</code>. It waits until a person has decided.
          </p>
          <Scrolled class="lines">{lines}</Scrolled>
          <Copy text={lines} what="the eight lines" />
        </li>
        <li>
          <h3>Your first case appears here {caseId && <Done />}</h3>
          <p role="status">
            {caseId ? (
              <>
                It is here: <a href={to(`/cases/${caseId}`)}>look at it</a>
              </>
            ) : (
              'Waiting for it…'
            )}
          </p>
        </li>
        <li>
          <h3>A webhook, if others are to hear of it {hasWebhook && <Done />}</h3>
          <p>
            {hasWebhook ? (
              <a href={to('/webhooks')}>See the webhooks</a>
            ) : (
              <a href={to('/webhooks/new')}>Add a webhook</a>
            )}
          </p>
        </li>
      </ol>
    </section>
  )
}

function Done() {
  return <span class="good">(done)</span>
}

/** A program that asks for a decision. */
const lines = `import { createClient } from '@countersign/client'
const client = createClient({ ingestUrl: 'https://ingest.example.com' }) // the address of your service
const { approved } = await client.reviewCases.request({
  sessionId: 'run-1',
  checkpointId: 'before-payment',
  reasonCategory: 'high_risk_action',
  presentation: { action: 'pay', amount: '1200.00', currency: 'EUR' },
}); console.log(approved ? 'approved' : 'not approved')`

async function readStart(signal: AbortSignal): Promise<Start> {
  const options = { signal }
  const [cases, applications, webhooks] = await Promise.all([
    api.reviewCases.list({ pageSize: 1 }, options),
    api.applications.list({ pageSize: 1 }, options),
    api.webhooks.list({ pageSize: 1 }, options),
  ])
  const [application] = applications.applications
  const keys =
    application &&
    (await api.applicationKeys.list(
      { applicationId: application.applicationId, pageSize: 1 },
      options,
    ))
  return {
    application,
    hasKey: keys?.applicationKeys.some(({ status }) => status === 'Active') ?? false,
    hasWebhook: webhooks.totalCount > 0,
    caseId: cases.reviewCases[0]?.reviewCaseId,
  }
}
