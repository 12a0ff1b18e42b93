import type { DeliveryAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { type Reading, useRead } from '../client/use-read.ts'

/** Events that a webhook is still owed. */
export interface WaitingEvents {
  /** Of each status the newest hundred. */
  readonly events: readonly DeliveryAnswer[]
  /** There are more. */
  readonly isCut: boolean
}

/** Deliveries that were not sent yet, and those that are tried again. */
export const unsent = ['pending', 'retry_scheduled'] as const

/** Events that wait in one of these statuses; notices about the webhook itself are left out. */
export function useWaiting(
  webhookId: string,
  statuses: readonly (typeof unsent)[number][],
): Reading<WaitingEvents> {
  return useRead(
    `waiting ${webhookId}`,
    async (signal) => {
      const pages = await Promise.all(
        statuses.map((status) =>
          api.webhooks.listDeliveries({ webhookId, status, limit: 100 }, { signal }),
        ),
      )
      return {
        events: pages.flatMap(({ rows }) => rows).filter(({ kind }) => kind === 'event'),
        isCut: pages.some(({ next }) => next !== null),
      }
    },
    { everyMs: 5_000 },
  )
}

/** How many these are, in words. */
export function numberOf({ events, isCut }: WaitingEvents): string {
  if (isCut) return `More than ${events.length} deliveries`
  return events.length === 1 ? '1 delivery' : `${events.length} deliveries`
}
