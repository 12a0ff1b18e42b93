import { chainOf } from './auditor-packs.ts'
import { recordOf, type World } from './issuer-world.ts'
import type { Json } from './tamperings.ts'

/** What the leaves and chains of a pack bind, each fact by its name. */
export function boundFacts(world: World): ReadonlyMap<string, string> {
  const facts = new Map<string, string>()
  for (const review of world.cases)
    if (review?.state !== 'open')
      facts.set(`case ${review?.reviewCaseId}`, JSON.stringify(recordOf(review ?? {})))
  for (const { position, hash } of chainOf(world.log)) facts.set(`log ${position}`, String(hash))
  for (const batch of world.batches) facts.set(`batch ${batch.batchId}`, String(batch.merkleRoot))
  for (const row of world.sessions)
    for (const column of ['sealed_revision', 'leaf_hash', 'batch_id', 'leaf_index'])
      facts.set(`session ${row.session_id} ${column}`, String(row[column]))
  for (const { sequence, commitment } of world.ledger)
    facts.set(`entry ${sequence}`, String(commitment))
  for (const key of (world.authenticators.authenticators as Json[] | undefined) ?? []) {
    const { kid, memberId, from, until, x, y, n, e, kty, crv } = key ?? {}
    facts.set(`key ${kid}`, JSON.stringify([memberId, from, until, x, y, n, e, kty, crv]))
  }
  return facts
}

/** Names of facts that two worlds tell otherwise. */
export function differencesOf(one: World, other: World): readonly string[] {
  const [first, second] = [boundFacts(one), boundFacts(other)]
  return [...new Set([...first.keys(), ...second.keys()])].filter(
    (name) => first.get(name) !== second.get(name),
  )
}
