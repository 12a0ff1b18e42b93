import { effect, type Signal, signal } from '@preact/signals'

/** How pages look and answer, chosen by who sits at this browser; nothing else is stored in it. */
interface Preferences {
  readonly theme: 'system' | 'light' | 'dark'
  /** An IANA name; empty: that of the browser. */
  readonly timeZone: string
  /** Whether single keys act, such as `j` for the next row. */
  readonly singleKeys: boolean
  /** Whether the browser tells of cases that wait while no page can be seen. */
  readonly notifies: boolean
}

const place = 'countersign.preferences'
const chosenAtFirst: Preferences = {
  theme: 'system',
  timeZone: '',
  singleKeys: true,
  notifies: false,
}

export const preferences: Signal<Preferences> = signal(stored())

/** Has the page look as it is preferred from now on. */
export function applyPreferences(): void {
  effect(() => {
    document.documentElement.dataset.theme = preferences.value.theme
  })
}

/** Changes preferences, and keeps them for the next visit where the browser does. */
export function prefer(changes: Partial<Preferences>): void {
  preferences.value = { ...preferences.value, ...changes }
  try {
    localStorage.setItem(place, JSON.stringify(preferences.value))
  } catch {
    // Storage is full or forbidden: they hold until the page is left.
  }
}

/** What was stored, as far as it can be used. */
function stored(): Preferences {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(place) ?? '{}')
    if (typeof found !== 'object' || found === null) return chosenAtFirst
    const { theme, timeZone, singleKeys, notifies } = found as Partial<Record<string, unknown>>
    return {
      theme: theme === 'light' || theme === 'dark' ? theme : 'system',
      timeZone: typeof timeZone === 'string' && isTimeZone(timeZone) ? timeZone : '',
      singleKeys: singleKeys !== false,
      notifies: notifies === true,
    }
  } catch {
    return chosenAtFirst
  }
}

/** Whether this browser knows a time zone by this name; the empty one is its own. */
export function isTimeZone(name: string): boolean {
  // Without a format, the first of which takes long on a slow device, ahead of everything else.
  if (name === '') return true
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}
