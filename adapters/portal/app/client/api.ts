import { createPortalClient, type PortalClient } from '@countersign/client/portal'
import { isSandbox } from '../paths.ts'
import { conditionalFetch } from './conditional-fetch.ts'

const conditional = conditionalFetch((url, init) => fetch(url, init))

/** The API, as the member who is logged in; the browser keeps the session's cookie. */
export const api: PortalClient = createPortalClient({
  portalUrl: location.origin,
  keepsToken: false,
  sandbox: isSandbox,
  surroundings: { fetch: conditional.fetch },
})

/** Forgets each answer that was read; when somebody else may sit here. */
export const forgetAnswers = (): void => conditional.forget()
