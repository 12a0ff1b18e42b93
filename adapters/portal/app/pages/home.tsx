import { Page } from '../parts/page.tsx'
import { isAdmin, may } from '../session.ts'
import { FirstRun } from '../start/first-run.tsx'
import { IdleClaims } from '../start/idle-claims.tsx'
import { MyCases } from '../start/my-cases.tsx'
import { ReviewStatistics } from '../start/review-statistics.tsx'
import { Waiting } from '../start/waiting.tsx'

export default function Home() {
  return (
    <Page title="Overview">
      <FirstRun />
      <Waiting />
      {may('Review Cases') && <MyCases />}
      {isAdmin.value && <IdleClaims />}
      {isAdmin.value && <ReviewStatistics />}
    </Page>
  )
}
