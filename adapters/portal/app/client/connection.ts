import { type ReadonlySignal, signal } from '@preact/signals'

const offline = signal(!navigator.onLine)
addEventListener('online', () => {
  offline.value = false
})
addEventListener('offline', () => {
  offline.value = true
})

/** Whether the browser has no network. */
export const isOffline: ReadonlySignal<boolean> = offline

/** A write that was not tried, for want of a network. */
export class NotSent extends Error {
  override readonly name = 'NotSent'
}
