import assert from 'node:assert/strict'
import { deliveries, messages } from '../../../outbox/records.ts'
import { day, value } from '../erasure/world.ts'
import { all, endDeliveries, type Filled, filled, naming, textOf } from './world.ts'

/** Asks for the deletion, and lets the grace period pass. */
export async function due(): Promise<Filled> {
  const w = await filled()
  // Of the events so far, half have been delivered.
  let count = 0
  await endDeliveries(w, () => count++ % 2 === 0)
  value(await w.process.service.applications.requestDeletion(w.admin, { applicationId: w.first }))
  w.clock.jump(7 * day)
  return w
}

export const lastWord = 'application.purge_completed'

/** What 19 names, and nothing else, is left of the application. */
export function checkRemains(w: Filled, what: string): void {
  const left = naming(w, w.first)
  const unended = new Set(
    w.store
      .rows(deliveries)
      .filter(({ row }) => row.due !== null)
      .map(({ row }) => row.messageId),
  )
  for (const { collection, row } of left) {
    const outlives =
      (collection === 'messages' || collection === 'deliveries') &&
      (row.type === lastWord || unended.has(String(row.messageId)))
    const tombstone =
      collection === 'applications' &&
      row.lifecycleState === 'purged' &&
      row.name === '' &&
      row.outcomeCallback === null
    const remains = collection === 'workItems' && ['purge.remains'].includes(String(row.kind))
    assert.ok(outlives || tombstone || remains, `${what}: ${collection} ${textOf(row)}`)
  }
  const texts = all.flatMap((collection) =>
    w.store.rows(collection).map(({ row }) => `${collection.name} ${textOf(row)}`),
  )
  for (const secret of ['content of one', 'a note on one', 'Grace Hopper', 'callback.example'])
    assert.deepEqual(
      texts.filter((text) => text.includes(secret)),
      [],
      `${what}: ${secret}`,
    )
  const paths = [...w.blobs.objects().keys()]
  assert.deepEqual(
    paths.filter((path) => path.includes(w.first) || path.includes(w.packageId)),
    [],
    what,
  )
}

/** The data of the events that told the end of a purge. */
export function toldOf(w: Filled): readonly unknown[] {
  return w.store
    .rows(messages)
    .filter(({ row }) => row.type === lastWord)
    .map(({ row }) => JSON.parse(new TextDecoder().decode(row.body)).data)
}
