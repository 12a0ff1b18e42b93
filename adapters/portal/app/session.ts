import { ApiError, type MemberSessionAnswer } from '@countersign/client'
import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { allAhead } from './client/ahead.ts'
import { api } from './client/api.ts'
import { to } from './paths.ts'

type Member = MemberSessionAnswer['member']

/** What may be done here, in the words of the interface. */
export type Right = Member['permissions'][number]

/** Who is logged in; null: nobody, undefined: not known yet. */
const current = signal<MemberSessionAnswer | null | undefined>(undefined)
/** The session ended while a page was open, which keeps what was typed until the same member is back. */
const lapsed = signal(false)

export const session: ReadonlySignal<MemberSessionAnswer | null | undefined> = current
export const hasLapsed: ReadonlySignal<boolean> = lapsed
export const isAdmin: ReadonlySignal<boolean> = computed(
  () => current.value?.member.role === 'CustomerAdmin',
)

/** Whether the member has a right; reading needs none. */
export function may(right: Right): boolean {
  return current.value?.member.permissions.includes(right) ?? false
}

/** Finds out who is logged in, unless a login that is faster tells. Rejects where that could not be asked. */
export async function findSession(): Promise<void> {
  const found = await api.auth.session().catch((error: unknown) => {
    if (!isSignedOut(error)) throw error
    return null
  })
  await allAhead()
  if (current.peek() === undefined) current.value = found
}

/** Tells the other tabs of this browser, which act with the same cookie, who is logged in now. */
const otherTabs = new BroadcastChannel('countersign.session')
otherTabs.onmessage = ({ data }: MessageEvent<string | null>) => {
  if (!current.value) return
  // Under another's name nothing may be done here; the same member goes on where they were.
  if (data !== null && data !== current.value.member.memberId) location.reload()
  else lapsed.value = data === null
}

/** Logs in by `enter`; another member than before starts afresh. Rejects as that does. */
export async function logIn(enter: () => Promise<unknown>): Promise<void> {
  const before = current.value
  await enter()
  const found = await api.auth.session()
  otherTabs.postMessage(found.member.memberId)
  if (before && before.member.memberId !== found.member.memberId) {
    location.assign('/')
    return
  }
  current.value = found
  lapsed.value = false
}

/** Logs out here, or of every device, and leaves the page. */
export async function logOut(everywhere = false): Promise<void> {
  await api.auth.logout({ everywhere })
  otherTabs.postMessage(null)
  // Nothing of this member stays in sight or in memory, and whoever comes next begins where they may.
  current.value = undefined
  location.assign(to('/login'))
}

/** Whether an error says that nobody is logged in any more. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'authentication_required'
}

/** Notes that a call was refused for want of a session: the page asks to log in again. */
export function noteRefusal(error: unknown): void {
  if (isSignedOut(error) && current.value) lapsed.value = true
}
