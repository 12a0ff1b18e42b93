import { type Change, type HostFaults, type InboxHost, inboxHost } from './host.ts'

/** An inbox that the suite has to fail, by the test that is named. */
export interface BrokenInbox {
  readonly name: string
  readonly group: InboxFaultClass
  /** The name of the test without its `inbox: `. */
  readonly killedBy: string
  host(): InboxHost
}

/** The classes of faults that an inbox may have. */
export const inboxFaultClasses = [
  'identity',
  'forgetting',
  'heads',
  'positions',
  'turns',
  'holds',
  'fencing',
  'bytes',
  'lasting',
] as const

/** One of the classes of faults of inboxes. */
export type InboxFaultClass = (typeof inboxFaultClasses)[number]

type Entry = readonly [name: string, killedBy: string, fault: Change | HostFaults]

/** A class of faults as a table. */
export function faults(group: InboxFaultClass, entries: readonly Entry[]): readonly BrokenInbox[] {
  return entries.map(([name, killedBy, fault]) => ({
    name,
    group,
    killedBy,
    host: () => inboxHost(typeof fault === 'function' ? { change: fault } : fault),
  }))
}
