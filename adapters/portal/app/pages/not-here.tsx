import { Page } from '../parts/page.tsx'
import { to } from '../paths.ts'

export function NotHere() {
  return (
    <Page title="Not here">
      <p>
        There is no such page. <a href={to('/')}>Go to the overview.</a>
      </p>
    </Page>
  )
}
