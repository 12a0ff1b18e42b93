import type { Outgoing } from '../base/events/outgoing.ts'
import { inSlices, type Slices } from '../base/json/in-slices.ts'
import type { Parts } from '../kernel/ports.ts'
import type { Scene } from '../review/execution/scene.ts'
import { fanOutInSlices } from '../webhooks/routing/fan-out.ts'
import type { IngestDeps } from './deps.ts'

/** The deliveries that events owe, with pauses between them. */
export function owedEvents(
  { intake, pause }: Pick<IngestDeps, 'intake' | 'pause'>,
  { unit: { now, id }, routing }: Scene,
  tenantId: string,
  events: readonly Outgoing[],
  slices: Slices,
): Promise<Parts> {
  const owed = fanOutInSlices({ routing, tenantId, events, now, id, intake }, slices)
  return inSlices(owed, pause)
}
