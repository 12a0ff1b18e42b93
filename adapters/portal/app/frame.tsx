import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso'
import { brandName, logo } from './brand.ts'
import { isOffline } from './client/connection.ts'
import { useSummaryPolling } from './client/use-summary.ts'
import { Navigation } from './navigation.tsx'
import { useNotices } from './notices/notify.ts'
import { SignInForm } from './pages/sign-in-form.tsx'
import { Dialog } from './parts/dialog.tsx'
import { KeysHelp } from './parts/keys-help.tsx'
import { isSandbox, to } from './paths.ts'
import { Search } from './search/search.tsx'
import { hasLapsed, logOut, session } from './session.ts'

/** What surrounds each page of a member: navigation, who is logged in, and the login again when the session ended. */
export function Frame({ children }: { readonly children: ComponentChildren }) {
  const { path } = useLocation()
  const member = session.value?.member
  useSummaryPolling()
  useNotices()
  return (
    <>
      <a class="skip" href="#main">
        Skip to the page
      </a>
      {isSandbox && (
        <aside class="banner" aria-label="Sandbox">
          Sandbox: an example organization, to look around in. Nothing here can be changed.
        </aside>
      )}
      {isOffline.value && (
        <aside class="banner" aria-label="Connection">
          <span role="status">
            There is no connection: what you see may be old, and nothing can be sent.
          </span>
        </aside>
      )}
      <header class="bar">
        <BrandName />
        <Navigation />
        <div class="who">
          <Search />
          <KeysHelp />
          <a href={to('/me')} aria-current={path === to('/me') ? 'page' : undefined}>
            {member?.name}
          </a>
          <button type="button" onClick={() => void logOut()}>
            Log out
          </button>
        </div>
      </header>
      {children}
      {hasLapsed.value && (
        <Dialog title="Log in again">
          <p>Your session ended. What you typed is still there.</p>
          <SignInForm {...(member && { email: member.email })} />
        </Dialog>
      )}
    </>
  )
}

/** Whose pages these are; leads to the first one. */
export function BrandName() {
  return (
    <a class="name" href={to('/')}>
      {logo && <img src={logo} alt="" width={20} height={20} />} {brandName}
    </a>
  )
}
