import type { Clock } from '../base/ports/clock.ts'
import type { ObservedEvents } from '../base/ports/observed-events.ts'
import type { Observer } from '../base/ports/observer.ts'
import type { Random } from '../base/ports/random.ts'
import type { Transport } from '../base/ports/transport.ts'
import type { Ledger } from '../kernel/ledger/ledger.ts'
import type { Kind } from './kind.ts'
import type { DispatcherOptions } from './options.ts'
import type { OutboxTime } from './outbox-time.ts'
import type { DeliveryKind } from './records.ts'

/** What the parts of one dispatcher share. */
export interface DispatcherContext {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly random: Random
  readonly transport: Transport
  readonly observer: Observer
  readonly kinds: ReadonlyMap<DeliveryKind, Kind>
  readonly options: DispatcherOptions
  readonly time: OutboxTime
  readonly owner: string
}

/** Reports a failure that the dispatcher survives. */
export function reportFault(
  context: DispatcherContext,
  operation: ObservedEvents['outbox.fault']['operation'],
  error: unknown,
): void {
  context.observer.event('outbox.fault', {
    operation,
    error: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
  })
}
