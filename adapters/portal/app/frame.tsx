import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso'
import { SignInForm } from './pages/sign-in-form.tsx'
import { memberPages } from './pages.tsx'
import { Dialog } from './parts/dialog.tsx'
import { isSandbox, to } from './paths.ts'
import { hasLapsed, logOut, session } from './session.ts'

/** What surrounds each page of a member: navigation, who is logged in, and the login again when the session ended. */
export function Frame({ children }: { readonly children: ComponentChildren }) {
  const { path, route } = useLocation()
  const member = session.value?.member
  const leave = async () => {
    await logOut()
    route(to('/login'))
  }
  return (
    <>
      <a class="skip" href="#main">
        Skip to the page
      </a>
      {isSandbox && (
        <p class="banner">
          Sandbox: an example organization, to look around in. Nothing here can be changed.
        </p>
      )}
      <header class="bar">
        <a class="name" href={to('/')}>
          Countersign
        </a>
        <nav aria-label="Pages">
          <ul>
            {memberPages
              .filter(({ label, shown }) => label && (shown?.() ?? true))
              .map(({ path: at, label }) => (
                <li key={at}>
                  <a href={to(at)} aria-current={isUnder(path, to(at)) ? 'page' : undefined}>
                    {label}
                  </a>
                </li>
              ))}
          </ul>
        </nav>
        <div class="who">
          <span>{member?.name}</span>
          <button type="button" onClick={() => void leave()}>
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

/** Whether a page lies at a path or below it; only the first page lies at its path alone. */
function isUnder(path: string, at: string): boolean {
  return path === at || (at !== to('/') && path.startsWith(`${at}/`))
}
