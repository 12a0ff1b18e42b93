import { useLocation } from 'preact-iso'
import { Page } from '../parts/page.tsx'
import { ownPath, to } from '../paths.ts'
import { SignInForm } from './sign-in-form.tsx'

export default function Login() {
  const { query, route } = useLocation()
  const destination = query.to === undefined ? '' : `?to=${encodeURIComponent(query.to)}`
  return (
    <Page title="Log in">
      <SignInForm onDone={() => route(ownPath(query.to), true)} />
      <p>
        <a href={to(`/login/organization${destination}`)}>Log in by your organization</a>
      </p>
      <p>
        <a href={to('/forgotten')}>Forgot the password?</a>
      </p>
    </Page>
  )
}
