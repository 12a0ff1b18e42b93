import type { SessionAnswer } from '@countersign/client'
import { useLocation } from 'preact-iso'
import { api } from '../client/api.ts'
import { useApplicationNames } from '../client/names.ts'
import { useRead } from '../client/use-read.ts'
import { Page, type PageProps, Shown } from '../parts/page.tsx'
import { Raw } from '../parts/raw.tsx'
import { Facts } from '../parts/rows.tsx'
import { Time, tookOf } from '../parts/time.tsx'
import { to } from '../paths.ts'
import { may } from '../session.ts'
import { DownloadList } from './download-list.tsx'
import { SessionFiles } from './session-files.tsx'
import { Steps } from './steps.tsx'
import { originWords, payloadWords, statusWords } from './words.ts'

/** A session with its steps, and what can be exported of it. */
export default function SessionPage({ params }: PageProps) {
  const { query } = useLocation()
  const asked = { sessionId: params?.sessionId ?? '', applicationId: query.applicationId }
  const read = useRead(JSON.stringify(asked), (signal) => api.sessions.read(asked, { signal }))
  return (
    <Page title="Session" acts={<a href={to('/evidence')}>All sessions</a>}>
      <p>
        <code>
          <bdi>{asked.sessionId}</bdi>
        </code>
      </p>
      <DownloadList />
      <Shown of={read}>
        {(session) => (
          <>
            <About session={session} />
            {may('Export Evidence') && <SessionFiles session={session} />}
            <Steps session={session} />
            {session.metadata !== null && (
              <Raw label="Metadata" text={JSON.stringify(session.metadata, null, 2)} />
            )}
          </>
        )}
      </Shown>
    </Page>
  )
}

function About({ session }: { readonly session: SessionAnswer }) {
  const names = useApplicationNames()
  const { applicationId, agent, dataSubjectId, sealed, durationMs } = session
  return (
    <Facts
      facts={[
        ['Application', <bdi key="name">{names.get(applicationId) ?? applicationId}</bdi>],
        ['State', statusWords[session.status] ?? session.status],
        ['Came as', originWords[session.origin] ?? session.origin],
        [
          'Began',
          <>
            <Time at={session.startedAt} exact />
            {durationMs !== null && `, took ${tookOf(durationMs)}`}
          </>,
        ],
        [
          'Agent',
          agent ? <bdi>{[agent.name, agent.version].filter(Boolean).join(' ')}</bdi> : 'not named',
        ],
        ['Models', <bdi key="models">{session.models.join(', ') || 'not named'}</bdi>],
        ['Tokens', `${session.inputTokens} in, ${session.outputTokens} out`],
        ['Data subject', dataSubjectId ? <code>{dataSubjectId}</code> : 'nobody'],
        ['Content', payloadWords[session.payloadStatus] ?? session.payloadStatus],
        ['Quality', session.qualityScore ?? 'not scored'],
        ['Open flags', session.openFlags],
        ['Open cases', session.openReviewCases],
        [
          'Sealed',
          sealed ? (
            <>
              in <code>{sealed.batchId}</code>, leaf {sealed.leafIndex}, revision {session.revision}
            </>
          ) : (
            'not yet; that happens soon after it ended'
          ),
        ],
        ['Removed after', <Time key="removed" at={session.removeAfter} />],
      ]}
    />
  )
}
