import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import { ErrorBoundary, LocationProvider, Route, Router, useLocation } from 'preact-iso'
import { BrandName, Frame } from './frame.tsx'
import { useBadge } from './notices/badge.ts'
import { NotHere } from './pages/not-here.tsx'
import { memberPages, openPages } from './pages.tsx'
import { Failure } from './parts/failure.tsx'
import { Guard } from './parts/guard.tsx'
import { base, to } from './paths.ts'
import { findSession, session } from './session.ts'

/** All pages; which one, the address says. */
export function App() {
  return (
    <LocationProvider>
      <ErrorBoundary onError={(error) => console.error(error)}>
        <Chosen />
      </ErrorBoundary>
    </LocationProvider>
  )
}

function Chosen() {
  const { path, url, route } = useLocation()
  useBadge()
  const failed = useSignal<unknown>(null)
  const isOpen = openPages.some((page) => to(page.path) === path)
  const find = () => {
    failed.value = null
    findSession().catch((error: unknown) => {
      failed.value = error
    })
  }
  // Not after the first frame, which has nothing to show without the answer.
  useLayoutEffect(find, [])
  const nobody = session.value === null && !isOpen
  useEffect(() => {
    if (nobody) route(`${to('/login')}?to=${encodeURIComponent(url)}`, true)
  }, [nobody])

  if (isOpen)
    return (
      <>
        <header class="bar">
          <BrandName />
        </header>
        <Router>
          {openPages.map(({ path: at, component }) => (
            <Route key={at} path={to(at)} component={component} />
          ))}
        </Router>
      </>
    )
  if (failed.value)
    return (
      <main>
        <Failure error={failed.value} again={find} />
      </main>
    )
  if (!session.value) return null
  return (
    <Frame>
      <Guard of={path} instead={broken}>
        <Router>
          {memberPages.map(({ path: at, component }) => (
            <Route key={at} path={base + at} component={component} />
          ))}
          <Route default component={NotHere} />
        </Router>
      </Guard>
    </Frame>
  )
}

const broken = (error: unknown) => (
  <main id="main">
    <Failure error={error} />
  </main>
)
