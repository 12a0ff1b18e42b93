import { Page } from '../parts/page.tsx'
import { session } from '../session.ts'
import { FirstRun } from '../start/first-run.tsx'

export default function Home() {
  return (
    <Page title="Overview">
      <p>You are logged in as {session.value?.member.name}.</p>
      <FirstRun />
    </Page>
  )
}
