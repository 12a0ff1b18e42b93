import type { ApplicationAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { Page, type PageProps, Shown } from '../parts/page.tsx'
import { Facts } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { isSandbox, to } from '../paths.ts'
import { isAdmin } from '../session.ts'
import { Callback } from './callback.tsx'
import { Deletion } from './deletion.tsx'
import { Guidelines } from './guidelines.tsx'
import { Keys } from './keys.tsx'
import { Promotion } from './promotion.tsx'
import { Rules } from './rules.tsx'
import { SignedDecisions } from './signed-decisions.tsx'
import { healths, lifecycles } from './words.ts'

export default function ApplicationPage({ params }: PageProps) {
  const { applicationId = '' } = params ?? {}
  const read = useRead(
    applicationId,
    (signal) => api.applications.read({ applicationId }, { signal }),
    { everyMs: 5_000 },
  )
  return (
    <Page title={read.data.value?.name ?? 'Application'}>
      <Shown of={read}>
        {(application) =>
          application.lifecycleState === 'purged' ? (
            <p>
              This application and its data were removed at <Time at={application.purgedAt} />.
            </p>
          ) : (
            <Application application={application} again={read.again} />
          )
        }
      </Shown>
      <p>
        <a href={to('/applications')}>All applications</a>
      </p>
    </Page>
  )
}

function Application({
  application,
  again,
}: {
  readonly application: ApplicationAnswer
  readonly again: () => void
}) {
  const { applicationId, description, lifecycleState, health, createdAt, promotedAt } = application
  const mayManage = isAdmin.value && !isSandbox
  const isActive = lifecycleState === 'active'
  return (
    <>
      <Facts
        facts={[
          ['Id', <code key="id">{applicationId}</code>],
          ['State', lifecycles[lifecycleState]],
          [
            'Stage',
            <>
              {application.stage}
              {promotedAt && (
                <>
                  , since <Time at={promotedAt} />
                </>
              )}
              {mayManage && isActive && <Promotion application={application} again={again} />}
            </>,
          ],
          ['Health', health ? healths[health.status] : '–'],
          ['What it does', <bdi key="what">{description ?? '–'}</bdi>],
          ['Since', <Time key="since" at={createdAt} />],
        ]}
      />
      {mayManage && isActive && <a href={to(`/applications/${applicationId}/edit`)}>Change</a>}
      <Callback application={application} mayManage={mayManage && isActive} again={again} />
      {isAdmin.value && <Keys applicationId={applicationId} mayManage={mayManage && isActive} />}
      <Guidelines applicationId={applicationId} mayManage={mayManage && isActive} />
      <SignedDecisions applicationId={applicationId} mayManage={mayManage && isActive} />
      <Rules applicationId={applicationId} />
      {isAdmin.value && <Deletion application={application} mayManage={mayManage} again={again} />}
    </>
  )
}
