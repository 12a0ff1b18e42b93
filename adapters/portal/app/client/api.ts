import { createPortalClient, type PortalClient } from '@countersign/client/portal'
import { isSandbox } from '../paths.ts'
import { takeAhead } from './ahead.ts'
import { conditionalFetch } from './conditional-fetch.ts'
import { serverClock } from './server-clock.ts'

const clock = serverClock(() => performance.now())

const noted = (answer: Response): Response => {
  clock.note(answer.headers.get('Date'))
  return answer
}
const fetchKnown = conditionalFetch(async (url, init) => noted(await fetch(url, init)), takeAhead)

/** Takes the time that the service told. */
export const noteServerTime = (time: string): void => clock.tell(time)

/** Ms since the epoch by the service's clock; by the device's own before it told one. */
export const serverNow = (): number => clock.now() ?? Date.now()

/** The API, as the member who is logged in; the browser keeps the session's cookie. */
export const api: PortalClient = createPortalClient({
  portalUrl: location.origin,
  keepsToken: false,
  // Whoever looks is told of longer ones, and counts them down.
  longestWaitMs: 1_000,
  sandbox: isSandbox,
  surroundings: { fetch: fetchKnown },
})
