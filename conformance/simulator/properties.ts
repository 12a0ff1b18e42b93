/** What a broken property counts as in the summary. */
export type Count = 'lost' | 'doubleDecided' | 'stale' | 'stuck' | 'violations'

/** Every property that a simulation checks, after each commit, POST and answer, or once everything has come to rest. */
export const properties = {
  // What was promised is kept.
  'acknowledged is kept': 'lost',
  'committed is durable': 'lost',
  'delivered means received': 'lost',
  'every event is owed': 'lost',
  'every outcome is owed': 'lost',
  'every event has an end': 'lost',
  'kept for its time': 'lost',
  'gone owes nothing': 'lost',
  'steps are kept': 'lost',
  'content reads back': 'lost',
  'held stays': 'lost',
  // Applications.
  'a deletion waits': 'violations',
  'a purge is whole': 'violations',
  'every purge has an end': 'stuck',
  // Alerts.
  'alerts follow their rule': 'violations',
  'activity is counted once': 'violations',
  // Keys and members.
  'a revoked key opens nothing': 'violations',
  'a value is shown once': 'violations',
  'key requests keep their order': 'violations',
  'signatures stay verifiable': 'lost',
  'an admin stays': 'violations',
  'an ended session opens nothing': 'violations',
  'an invitation is taken once': 'violations',
  // Sessions.
  'one completion': 'violations',
  'sums are of the steps': 'violations',
  'sealed once': 'violations',
  'seals prove': 'violations',
  'anchors are a chain': 'violations',
  'erased stays erased': 'violations',
  // Cases.
  'one terminal step': 'doubleDecided',
  'expired never approves': 'violations',
  'deadlines are kept': 'violations',
  'versions rise': 'violations',
  'bodies fit the catalogue': 'violations',
  'decision fits the event': 'violations',
  'digest is of what is shown': 'violations',
  'answers change nothing': 'violations',
  'one key, one result': 'violations',
  'a change and its events': 'violations',
  // Deliveries.
  'same id, same bytes': 'violations',
  'signed now by a valid key': 'violations',
  'delivery moves': 'violations',
  'writes replace what they saw': 'violations',
  'delivered means 2xx': 'violations',
  'retry schedule': 'violations',
  'attempt budget': 'violations',
  'in-flight caps': 'violations',
  // Webhooks.
  'gone is silent': 'violations',
  'off is silent': 'violations',
  'missed windows are exact': 'violations',
  'notices are owed': 'violations',
  'both secrets sign': 'violations',
  'old secrets are wiped': 'violations',
  'turned off for a reason': 'violations',
  // The rest.
  'no private text': 'violations',
  'own tenant only': 'violations',
  'history is whole': 'violations',
  'acts are audited': 'violations',
  'audit chain': 'violations',
  'nothing throws': 'violations',
  // At rest.
  'receivers converge': 'stale',
  'comes to rest': 'stuck',
  'every session has an end': 'stuck',
} as const satisfies Readonly<Record<string, Count>>

export type Property = keyof typeof properties

export interface Violation {
  readonly property: Property
  readonly detail: string
  /** Virtual ms. */
  readonly at: number
}
