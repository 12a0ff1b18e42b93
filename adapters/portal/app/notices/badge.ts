import { effect } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { waitingCases } from '../client/use-summary.ts'
import { session } from '../session.ts'

/** Shows on the icon of the app how many cases wait, where the browser does; no number once nobody is logged in. */
export function useBadge(): void {
  useEffect(
    () =>
      effect(() => {
        // The number of an earlier visit stays until it is known who is logged in.
        if (session.value !== undefined) show(session.value ? waitingCases() : 0)
      }),
    [],
  )
}

function show(count: number): void {
  if (!('setAppBadge' in navigator))
    return // Only installed apps have a badge: elsewhere the browser may refuse.
  ;(count > 0 ? navigator.setAppBadge(count) : navigator.clearAppBadge()).catch(() => {})
}
